import { describe, expect, test } from 'vitest';
import type { Exchange } from '../exchange/exchange.ts';
import { exchangeOf } from './compute/exchange.test.support.ts';
import { keptWait, toldToWait } from './retry-etiquette.ts';

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
