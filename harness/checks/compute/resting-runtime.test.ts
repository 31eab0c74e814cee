import { expect, test } from 'vitest';
import { actionRecord, exchangeOf } from './exchange.test.support.ts';
import { runtimeKept, runtimeRests } from './runs.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const at = (startedAt: number) => ({ ...exchangeOf(), startedAt });

test.each([
  ['held', [2.00001, 2.00001, 2.00001]],
  ['held', [2, 2.1001, 2.1001, 2.1001]],
  ['violated', [2, 2.1, 2.1, 2.2]],
  ['vacuous', [2, 2, 2]],
  ['vacuous', [2.01, 2.01, 2.01]],
  ['vacuous', [2, 2.1]],
  ['vacuous', []],
] as const)('%s: %j', (outcome, hours) => {
  const readings = hours.map((one, n) => ({ hours: one, exchange: at(n * 500) }));
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
