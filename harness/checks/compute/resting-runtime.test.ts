import { describe, expect, test } from 'vitest';
import { together } from '../judgement.ts';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import { RestingLedger, runtimeKept, runtimeRests } from './resting-runtime.ts';
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

describe('over a run', () => {
  const seconds = [0, 20, 60, 100, 140] as const;
  const over = (hoursAt: (second: number) => number, change: object = {}) => {
    const ledger = new RestingLedger();
    return together(
      ...seconds.map((second) => {
        const record = { status: 'STOPPED', total_runtime_hours: hoursAt(second), ...change };
        return ledger.shown(at(second * 1_000), 'list', [listRecord(record)]);
      }),
    );
  };

  test('a runtime of two digits that goes on is found', () => {
    expect(outcomeOf(over((second) => 3 + Math.floor(second / 36) / 100))).toBe('violated');
  });

  test('one that rests is seen to', () => {
    expect(outcomeOf(over(() => 3.01))).toBe('held');
    expect(outcomeOf(over(() => 3))).toBe('vacuous');
  });

  test('a meter that catches up with the end of the run is let be', () => {
    expect(outcomeOf(over((second) => (second < 20 ? 3.01 : 3.05)))).toBe('held');
  });

  test('what runs, and what tells no start, says nothing', () => {
    const growing = (second: number) => 3 + second / 3_600;
    expect(outcomeOf(over(growing, { status: 'RUNNING' }))).toBe('vacuous');
    expect(outcomeOf(over(growing, { started_at: null }))).toBe('vacuous');
  });
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
