import { describe, expect, test } from 'vitest';
import { exchangeOf } from './compute/exchange.test.support.ts';
import { refusedBare } from './no-credential.ts';

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
