import { describe, expect, test } from 'vitest';
import type { Exchange } from './exchange.ts';
import { CircuitBreaker } from './breaker.ts';

function exchange(ending: Exchange['ending'], status?: number): Exchange {
  return {
    id: 'e1',
    contract: 'compute',
    target: 'sample',
    request: {
      method: 'GET',
      url: 'http://127.0.0.1:1/v1/regions',
      path: '/regions',
      query: '',
      headers: [],
      body: new Uint8Array(),
      credential: 'primary',
    },
    response:
      status === undefined
        ? undefined
        : { status, headers: [], body: new Uint8Array(), chunks: [] },
    ending,
    cause: undefined,
    startedAt: 0,
    headMs: undefined,
    durationMs: 1,
    retries: 0,
  };
}

function after(...exchanges: readonly Exchange[]): CircuitBreaker {
  // A grace that is over at once, and a next try that is far away.
  const pulse = new CircuitBreaker({ graceMs: 0, tryAgainMs: 60_000 });
  for (const one of exchanges) pulse.note(one);
  return pulse;
}

const reset = exchange('reset');

describe('a pulse', () => {
  test('sends on while the target answers now and then', async () => {
    const pulse = after(
      ...Array.from({ length: 19 }, () => reset),
      exchange('complete', 500),
      reset,
    );
    expect(await pulse.admit()).toBeUndefined();
    expect(await pulse.admit()).toBeUndefined();
  });

  test('lets one request in to try, and refuses the rest of a silence', async () => {
    const pulse = after(...Array.from({ length: 20 }, () => reset));
    expect(await pulse.admit()).toBeUndefined();
    expect((await pulse.admit())?.reason).toMatch(/last 20 requests got no answer/u);
  });

  test('sends again after any answer', async () => {
    const pulse = after(...Array.from({ length: 30 }, () => reset), exchange('cut-short', 200));
    expect(await pulse.admit()).toBeUndefined();
    expect(await pulse.admit()).toBeUndefined();
  });

  test('does not count what we broke off ourselves', async () => {
    const pulse = after(...Array.from({ length: 30 }, () => exchange('aborted')));
    expect(await pulse.admit()).toBeUndefined();
    expect(await pulse.admit()).toBeUndefined();
  });
});
