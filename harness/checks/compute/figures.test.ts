import { describe, expect, test } from 'vitest';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import {
  costOfCurrentRun,
  datedBetween,
  datesNotAhead,
  inBothReadings,
  longestRun,
  runtimeHoldsRun,
  sameRemainingHours,
  withinLife,
} from './figures.ts';
import { outcomeOf } from './verdicts.test.support.ts';
import { notObserved } from '../judgement.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-23T12:00:00Z');

function page(
  change: Readonly<Record<string, unknown>>,
  headers: readonly [string, string][] = [],
) {
  const body = { data: [listRecord(change)], pagination: { next: null, size: 50 } };
  const label = ['Content-Type', 'application/json'] as const;
  return { ...exchangeOf({ body, headers: [label, ...headers] }), startedAt: NOW };
}

const startedAgo = (hours: number) => new Date(NOW - hours * HOUR_MS).toISOString();

describe('the cost of the current run', () => {
  /** An instance that has run for 100 hours at 2 credits an hour, 10 of them in the current run. */
  const ran = {
    status: 'RUNNING',
    started_at: startedAgo(10),
    hourly_rate: 2,
    total_cost_incurred: 200,
    total_runtime_hours: 100,
  };
  const judged = (change: object) => {
    const one = page({ ...ran, ...change });
    return outcomeOf(inBothReadings(one, one, costOfCurrentRun));
  };

  test.each([
    ['held', { current_cost: 20 }],
    ['held', { current_cost: 0 }],
    // The price fell while it ran.
    ['held', { current_cost: 40, hourly_rate: 0.5 }],
    ['violated', { current_cost: 200 }],
    ['vacuous', { current_cost: 20, total_cost_incurred: 20, total_runtime_hours: 10 }],
    ['vacuous', { current_cost: 200, status: 'STOPPED' }],
    ['vacuous', { current_cost: 200, started_at: null }],
    ['vacuous', { current_cost: 'much' }],
  ])('%s: %j', (outcome, change) => {
    expect(judged(change)).toBe(outcome);
  });

  test('what one reading alone shows is no breach', () => {
    const [wrong, right] = [
      page({ ...ran, current_cost: 200 }),
      page({ ...ran, current_cost: 20 }),
    ];
    expect(outcomeOf(inBothReadings(wrong, right, costOfCurrentRun))).toBe('held');
    expect(outcomeOf(inBothReadings(right, wrong, costOfCurrentRun))).toBe('held');
  });
});

test.each([
  ['held', 40, 41],
  ['held', 40, 24],
  ['violated', 40, 1.7],
  ['vacuous', 20, 0],
])('%s: a run of %d hours in a runtime of %d', (outcome, hours, runtime) => {
  const one = page({ started_at: startedAgo(hours), total_runtime_hours: runtime });
  expect(outcomeOf(inBothReadings(one, one, runtimeHoldsRun))).toBe(outcome);
});

test.each([
  ['held', -1, ''],
  ['held', 0.05, ''],
  ['violated', 1, ''],
  // The clock of whoever asks is behind.
  ['held', 1, 'Mon, 23 Nov 2026 13:00:00 GMT'],
])('%s: a start in %d hours, %j', (outcome, hours, date) => {
  const one = page({ started_at: startedAgo(-hours) }, [['Date', date]]);
  expect(outcomeOf(inBothReadings(one, one, datesNotAhead))).toBe(outcome);
});

test('a life is at least as long as what was run in it', () => {
  const claim = (isYounger: boolean) => ({ hours: 60, isYounger, exchange: exchangeOf() });
  expect(outcomeOf(withinLife([claim(true), claim(true)]))).toBe('violated');
  expect(outcomeOf(withinLife([claim(true), claim(false)]))).toBe('held');
  expect(outcomeOf(withinLife([claim(true)]))).toBe('vacuous');
  const [longest] = longestRun(page({ total_runtime_hours: 60 }));
  expect(longest?.midst).toBe(NOW + 1 - 30 * HOUR_MS);
  expect(longestRun(page({ total_runtime_hours: 3 }))).toEqual([]);
});

test.each([
  ['held', '2026-11-23T12:00:00Z', '2026-11-23T12:00:00Z'],
  ['held', '2026-11-23T11:56:00Z', '2026-11-23T12:04:00Z'],
  ['violated', '2026-11-23T00:00:00Z', '2026-11-23T00:00:00Z'],
  ['violated', '2099-01-01T00:00:00Z', '2099-01-01T00:00:00Z'],
  ['held', '2026-11-23T00:00:00Z', '2026-11-23T12:00:00Z'],
  ['vacuous', '2026-11-23T00:00:00Z', null],
])('%s: a start that was seen at noon, dated %s and %s', (outcome, ...dates) => {
  const exchange = page({});
  const readings = dates.map((started_at) => ({ record: listRecord({ started_at }), exchange }));
  expect(outcomeOf(datedBetween('started_at', readings, exchange, exchange))).toBe(outcome);
});

function stop(hours: unknown, status = 200, rate = 1) {
  return exchangeOf({
    method: 'POST',
    path: '/instances/a/stop',
    status,
    body: actionRecord({ ttl_remaining_hours: hours, hourly_rate: rate }),
  });
}

test.each([
  ['held', 71.5, 71.5, 71.5],
  ['held', 71.5, 71.49, 71.49],
  ['violated', 71.5, 12, 71.5],
  ['drifting', 71.5, 12, 12],
  ['vacuous', 71.5, '71.5', 71.5],
])('%s: %j, %j, %j', (outcome, a, b, c) => {
  const judgement = sameRemainingHours(stop(a), stop(b, 200, 2), stop(c));
  expect(judgement === 'drifting' ? judgement : outcomeOf(judgement)).toBe(outcome);
});

test('instances of one rate would have the same hours anyway', () => {
  expect(sameRemainingHours(stop(71.5), stop(71.5), stop(71.5))).toEqual(notObserved);
});

test('a refused stop says nothing', () => {
  expect(sameRemainingHours(stop(1), stop(2, 404), stop(1))).toEqual(notObserved);
});
