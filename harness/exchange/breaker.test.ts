import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { exchangeOf } from '../checks/compute/exchange.test.support.ts';
import { CircuitBreaker } from './breaker.ts';
import type { Exchange } from './exchange.ts';

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
