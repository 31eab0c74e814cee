import { describe, expect, test } from 'vitest';
import { exchangeOf } from './compute/exchange.test.support.ts';
import { keptWait, refusedBare, toldToWait } from './clients.ts';
import type { Exchange } from '../exchange/exchange.ts';

describe('a request without a credential', () => {
  test('is refused with 401, and nothing else tells', () => {
    expect(refusedBare(exchangeOf({ status: 401 }))).toMatchObject({ seen: 1, violations: [] });
    expect(refusedBare(exchangeOf({ status: 200 })).violations).toHaveLength(1);
    for (const status of [400, 404, 429, 500]) {
      expect(refusedBare(exchangeOf({ status })).seen).toBe(0);
    }
  });

  test.for([
    [{ requestHeaders: [['Authorization', 'Bearer x']] }],
    [{ requestHeaders: [['cookie', 'session=1']] }],
    [{ requestHeaders: [['X-Api-Key', 'k']] }],
    [{ query: 'api_key=k' }],
    [{ query: 'key=k' }],
  ] as const)('is none that brings %j', ([request]) => {
    expect(refusedBare(exchangeOf({ status: 200, ...request })).seen).toBe(0);
  });
});

const at = (startedAt: number, exchange: Exchange): Exchange => ({ ...exchange, startedAt });
const limited = (value: string): Exchange =>
  at(1_000, exchangeOf({ status: 429, headers: [['retry-after', value]] }));

describe('the wait that an answer asks for', () => {
  test('is a whole number of seconds', () => {
    expect(toldToWait(limited('2'))).toBe(2);
    expect(toldToWait(limited('1.5'))).toBeUndefined();
    expect(toldToWait(limited('Wed, 21 Oct 2026 07:28:00 GMT'))).toBeUndefined();
    expect(
      toldToWait(exchangeOf({ status: 200, headers: [['Retry-After', '2']] })),
    ).toBeUndefined();
  });

  test.for([
    ['was kept', 3_001, true],
    ['was not kept', 2_500, false],
    ['could not be known to a request that was on its way', 900, undefined],
  ] as const)('%s', ([, startedAt, kept]) => {
    expect(keptWait(limited('2'), at(startedAt, exchangeOf()))).toBe(kept);
  });
});
