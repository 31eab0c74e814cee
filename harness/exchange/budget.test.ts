import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Budget } from './budget.ts';
import { budgetWith } from './client.test.support.ts';

/** A budget of one request per 100 ms, and the names of its requests in sending order, with the time. */
function paced(concurrency = 9) {
  const budget = budgetWith({ concurrency, requestsPerSecond: 10 });
  const from = performance.now();
  const left: string[] = [];
  const send = async (name: string, entry: Parameters<Budget['enter']>[0] = {}) => {
    const leave = await budget.enter(entry);
    left.push(`${name} ${performance.now() - from}`);
    leave();
  };
  return { budget, left, send };
}

describe('the pace of a run', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('spaces requests out, and those that are to be under way together go before all others', async () => {
    const { left, send } = paced();
    const others = ['a', 'b', 'c'].map(async (name) => send(name));
    const together = ['x', 'y'].map(async (name) => send(name, { unbounded: true }));
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all([...others, ...together]);
    expect(left).toEqual(['x 0', 'y 100', 'a 200', 'b 300', 'c 400']);
  });

  test('an urgent request goes before those that wait for a place or for their turn', async () => {
    const { left, send } = paced(2);
    const others = ['a', 'b', 'c', 'd'].map(async (name) => send(name));
    const urgent = ['x', 'y'].map(async (name) => send(name, { urgent: true }));
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all([...others, ...urgent]);
    expect(left).toEqual(['a 0', 'y 100', 'x 200', 'b 300', 'c 400', 'd 500']);
  });

  test('tells when those have left that were made to be together, and not later', async () => {
    const { budget, left, send } = paced();
    const sent = ['a', 'b'].map(async (name) => send(name));
    sent.push(send('x', { unbounded: true }), send('y', { unbounded: true }));
    const all = budget.allSent().then(() => left.push('all'));
    sent.push(send('z', { unbounded: true }));
    await new Promise((go) => setImmediate(go));
    sent.push(send('later', { unbounded: true }));
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all([...sent, all]);
    expect(left).toEqual(['x 0', 'y 100', 'z 200', 'all', 'later 300', 'a 400', 'b 500']);
  });

  test('gives the turn of a request that is given up to the next', async () => {
    const { left, send } = paced();
    const end = new AbortController();
    const first = send('a');
    const second = send('b', { signals: [end.signal] });
    const third = send('c');
    await first;
    end.abort(new Error('given up'));
    await expect(second).rejects.toThrow('given up');
    await vi.advanceTimersByTimeAsync(1_000);
    await third;
    expect(left).toEqual(['a 0', 'c 100']);
  });

  test('keeps nobody waiting once the minutes are over', async () => {
    const budget = budgetWith({ minutes: 0.01, concurrency: 9, requestsPerSecond: 1 });
    const all = Promise.allSettled(Array.from({ length: 5 }, async () => budget.enter()));
    await vi.advanceTimersByTimeAsync(1_000);
    const [first, ...others] = await all;
    expect(first?.status).toBe('fulfilled');
    for (const other of others) {
      expect(other).toMatchObject({ reason: { message: expect.stringContaining('minutes') } });
    }
  });

  test('lets all leave at once where there is none', async () => {
    const budget = budgetWith();
    await Promise.all([budget.enter(), budget.enter({ unbounded: true }), budget.allSent()]);
    expect(budget.sent).toBe(2);
  });
});
