import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { runtimeRests } from './resting-runtime.ts';
import { outcomeOf } from './verdicts.test.support.ts';

test.each([
  ['held', [2, 2, 2]],
  ['held', [2, 2.1, 2.1, 2.1]],
  ['violated', [2, 2.1, 2.1, 2.2]],
  ['vacuous', [2, 2.1]],
  ['vacuous', []],
] as const)('%s: %j', (outcome, hours) => {
  const readings = hours.map((one) => ({ hours: one, exchange: exchangeOf() }));
  expect(outcomeOf(runtimeRests(readings))).toBe(outcome);
});
