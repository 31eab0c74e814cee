import { expect, test } from 'vitest';
import { actionRecord, exchangeOf } from './exchange.test.support.ts';
import { runtimeKept, runtimeRests } from './resting-runtime.ts';
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

test.each([
  ['held', 12, 12],
  ['held', 1, 0.6],
  ['violated', 12, 0],
  ['vacuous', 0.05, 0],
  ['vacuous', 12, undefined],
] as const)('a runtime over a stop: %s for %d and %j', (outcome, first, later) => {
  const before = { record: { total_runtime_hours: first }, exchange: exchangeOf() };
  const stop = exchangeOf({
    method: 'POST',
    path: '/instances/x/stop',
    body: actionRecord({ total_runtime_hours: later }),
  });
  expect(outcomeOf(runtimeKept(before, stop))).toBe(outcome);
});
