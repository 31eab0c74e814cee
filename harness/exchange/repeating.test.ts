import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { exchangeOf } from '../checks/compute/exchange.test.support.ts';
import type { Exchange } from './exchange.ts';
import { CircuitBreaker, TransportError } from './repeating.ts';
import { answering, httpClient } from './client.test.support.ts';

/** Expects trouble on the way, with the exchange that shows it. */
async function expectTrouble(sent: Promise<unknown>, shown: object): Promise<void> {
  const trouble: unknown = await sent.catch((error: unknown) => error);
  expect(trouble).toBeInstanceOf(TransportError);
  expect(trouble).toMatchObject(shown);
}

describe('repeating', () => {
  test('every attempt is recorded, the last one returned', async () => {
    const { url } = await answering(503, 503, 200);
    const patient = httpClient(url, {
      repeat: (exchange) => (exchange.response?.status === 503 ? { afterMs: 1 } : undefined),
    });
    const exchange = await patient.send();
    expect(exchange.response?.status).toBe(200);
    expect(exchange.retries).toBe(2);
    expect(patient.seen.map((one) => one.response?.status)).toEqual([503, 503, 200]);
  });

  test('a rate limit leaves the tries after a failure as they are', async () => {
    const { url } = await answering(429, 500, 429, 500);
    const client = httpClient(url, {
      repeat: (exchange, attempt) =>
        exchange.response?.status === 429 || attempt === 0 ? { afterMs: 1 } : undefined,
    });
    const exchange = await client.send();
    expect(exchange.response?.status).toBe(500);
    expect(exchange.retries).toBe(3);
  });

  test('giving up is trouble, with the exchange that shows it', async () => {
    const { url } = await answering(503);
    const { send } = httpClient(url, { repeat: () => ({ giveUp: 'it is down' }) });
    const shown = { message: 'it is down', exchange: { response: { status: 503 } } };
    await expectTrouble(send(), shown);
  });

  test('a request that wants the first answer gets it', async () => {
    const { url } = await answering(503);
    const { send } = httpClient(url, { repeat: () => ({ afterMs: 1 }) });
    expect((await send({ repeat: false })).retries).toBe(0);
  });
});

describe('what a proxy in front may have answered', () => {
  /** A server whose first `count` responses are errors, and a client that takes them for a proxy's. */
  async function behindFront(count: number, status = 502) {
    const { url } = await answering(...Array.from({ length: count }, () => status), 200);
    return httpClient(url, { mayBeFromProxy: ({ response }) => response?.status === status });
  }

  test('is asked again, and a read gets the answer that comes then', async () => {
    const { send, seen } = await behindFront(2);
    expect((await send()).response?.status).toBe(200);
    expect(seen.map(({ retries }) => retries)).toEqual([0, 1, 2]);
  });

  test.for(['send', 'sendBytes'] as const)('is trouble when it comes each time: %s', async (by) => {
    const { [by]: send, seen } = await behindFront(3);
    const shown = { exchange: { retries: 2, response: { status: 502 } } };
    await expectTrouble(send({ method: 'POST' }), shown);
    expect(seen.map(({ retries }) => retries)).toEqual([0, 1, 2]);
  });

  test('is trouble where a change may have been handed on', async () => {
    const { send } = await behindFront(1);
    const shown = { exchange: { response: { status: 502 } } };
    await expectTrouble(send({ method: 'POST', repeat: false }), shown);
  });

  test('is asked again where a limit has handed nothing on', async () => {
    const { send } = await behindFront(1, 429);
    expect((await send({ method: 'POST', repeat: false })).response?.status).toBe(200);
  });

  test('is awaited for longer where a limit refuses, but not while requests are held', async () => {
    const { send, seen } = await behindFront(3, 429);
    expect((await send()).response?.status).toBe(200);
    expect(seen.map(({ retries }) => retries)).toEqual([0, 1, 2, 3]);
    const { send: held } = await behindFront(3, 429);
    await expect(held({ unbounded: true })).rejects.toThrow(
      /was answered 429 .*requestsPerSecond$/u,
    );
  });

  test('is asked again of bytes as they are', async () => {
    const { sendBytes, seen } = await behindFront(1);
    expect((await sendBytes()).response?.status).toBe(200);
    expect(seen).toHaveLength(2);
  });
});

const answered = exchangeOf();
const lost: Exchange = { ...answered, response: undefined, ending: 'reset' };
const few = Array.from({ length: 19 }, () => lost);
const many = Array.from({ length: 30 }, () => lost);

describe('a circuit breaker', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.for<[what: string, met: readonly Exchange[], refusal: RegExp | undefined]>([
    ['an answer now and then', [...few, answered, lost], undefined],
    ['any answer after a silence', [...many, { ...answered, ending: 'cut-short' }], undefined],
    ['what we broke off ourselves', many.map((one) => ({ ...one, ending: 'aborted' })), undefined],
    ['a silence: one request tries', [...few, lost], /last 20 requests got no answer/u],
  ])('%s', async ([, met, refusal]) => {
    const breaker = new CircuitBreaker();
    for (const one of met) breaker.note(one);
    // The grace period is over.
    vi.advanceTimersByTime(5_000);
    expect(await breaker.admit()).toBeUndefined();
    expect((await breaker.admit())?.reason ?? '').toMatch(refusal ?? /^$/u);
  });
});
