import { describe, expect, test } from 'vitest';
import {
  testCalls,
  testCheck,
  testFigures,
  testRows,
  testVerdicts,
} from '../verdict.test.support.ts';
import { exchangeOf, listRecord, stopAnswer as stop } from './exchange.test.support.ts';
import {
  claimIn,
  costOfCurrentRun,
  costsInUnit,
  datedBetween,
  datesNotAhead,
  inBothReadings,
  longestRun,
  runtimeHoldsRun,
  withinLife,
} from './figures.ts';

type Change = Readonly<Record<string, unknown>>;
const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-23T12:00:00Z');
const startedAgo = (hours: number) => new Date(NOW - hours * HOUR_MS).toISOString();

function page(change: Change, ...headers: readonly (readonly [string, string])[]) {
  const body = { data: [listRecord(change)], pagination: { next: null, size: 50 } };
  const label = ['Content-Type', 'application/json'] as const;
  return { ...exchangeOf({ body, headers: [label, ...headers] }), startedAt: NOW };
}

describe('the cost of the current run', () => {
  /** An instance that has run for 100 hours at 2 credits an hour, 10 of them in the current run. */
  const ran = (change: Change) =>
    page({
      status: 'RUNNING',
      started_at: startedAgo(10),
      hourly_rate: 2,
      total_cost_incurred: 200,
      total_runtime_hours: 100,
      ...change,
    });
  const judged = (change: Change) => inBothReadings(ran(change), ran(change), costOfCurrentRun);
  const long = { started_at: startedAgo(40), total_runtime_hours: 100 };
  testCheck('in two readings', judged, {
    // In the third, the price fell while it ran.
    held: [
      { current_cost: 20 },
      { current_cost: 0 },
      { current_cost: 40, hourly_rate: 0.5 },
      { ...long, current_cost: 14 },
      { ...long, current_cost: 0, hourly_rate: 0.1 },
    ],
    broken: [{ current_cost: 200 }, { ...long, current_cost: 5 }],
    unseen: [
      { current_cost: 20, total_cost_incurred: 20, total_runtime_hours: 10 },
      { current_cost: 200, status: 'STOPPED' },
      { current_cost: 200, started_at: null },
      { current_cost: 'much' },
    ],
  });
  const [wrong, right] = [ran({ current_cost: 200 }), ran({ current_cost: 20 })];
  testVerdicts([
    ['wrong in the first alone', 'held', inBothReadings(wrong, right, costOfCurrentRun)],
    ['wrong in the second alone', 'held', inBothReadings(right, wrong, costOfCurrentRun)],
  ]);
});

/** Instances that have run for 100 hours, each with its hourly rate and current cost. */
const runsOf = (...figures: readonly (readonly [number, number])[]) => {
  const long = { status: 'RUNNING', started_at: startedAgo(100) };
  const data = figures.map(([hourly_rate, current_cost]) =>
    listRecord({ ...long, hourly_rate, current_cost }),
  );
  const body = { data, pagination: { next: null, size: 50 } };
  return { ...exchangeOf({ body }), startedAt: NOW };
};

testCalls(
  'the unit of costs, by runs of 100 hours',
  (...figures: readonly (readonly [number, number])[]) =>
    costsInUnit(runsOf(...figures), runsOf(...figures)),
  {
    held: [
      [
        [2, 200],
        [2, 180],
        [5, 500],
      ],
      // One price may have fallen, a run may be discounted, and whole credits are rounded up.
      [
        [0.02, 200],
        [2, 200],
        [5, 500],
      ],
      [
        [2, 12],
        [2, 12],
        [5, 30],
      ],
      [
        [0.0006, 1],
        [0.0007, 1],
        [0.0008, 1],
      ],
    ],
    broken: [
      [
        [2, 12_000],
        [2, 12_000],
        [5, 30_000],
      ],
      [
        [200, 200],
        [200, 200],
        [500, 500],
      ],
    ],
    // Two runs, or one price, do not tell; what is free is open.
    unseen: [
      [
        [2, 12_000],
        [5, 30_000],
      ],
      [
        [2, 12_000],
        [2, 12_000],
        [2, 12_000],
      ],
      [
        [2, 0],
        [2, 0],
        [5, 0],
      ],
    ],
  },
);

testFigures(
  'the hours of a run, and its runtime',
  (hours, total_runtime_hours) => {
    const one = page({ started_at: startedAgo(Number(hours)), total_runtime_hours });
    return inBothReadings(one, one, runtimeHoldsRun);
  },
  { held: ['40,41', '40,24'], broken: ['40,1.7'], unseen: ['20,0'] },
);

const NOON = 'Mon, 23 Nov 2026 12:00:00 GMT';

testCalls(
  'a start in so many hours',
  (hours: number, date: string = NOON) => {
    const one = page({ started_at: startedAgo(-hours) }, ['Date', date]);
    return inBothReadings(one, one, datesNotAhead);
  },
  // The client's clock may be slow, and the server's does not show without a Date.
  {
    held: [[-1], [0.05], [1, 'Mon, 23 Nov 2026 13:00:00 GMT'], [20, '']],
    broken: [[1], [30, '']],
  },
);

const claim = (isYounger: boolean) => ({ hours: 60, isYounger, exchange: exchangeOf() });
testVerdicts([
  ['runs longer than lives', 'broken', withinLife([claim(true), claim(true)])],
  ['runs within lives', 'held', withinLife([claim(true), claim(false)])],
  ['one alone', 'unseen', withinLife([claim(true)])],
]);

test('what an answer claims of an instance that the run has made', () => {
  const first = page({});
  const claims = (hours: number, afterHours: number) =>
    claimIn(
      { ...stop({ total_runtime_hours: hours }), startedAt: NOW + afterHours * HOUR_MS },
      first,
    ).map(({ isYounger }) => isYounger);
  expect([claims(60, 1), claims(60, 40), claims(1, 0.01)]).toEqual([[true], [false], []]);
});

test('the middle of the longest run', () => {
  const [longest] = longestRun(page({ total_runtime_hours: 60 }));
  expect(longest?.midst).toBe(NOW + 1 - 30 * HOUR_MS);
  expect(longestRun(page({ total_runtime_hours: 3 }))).toEqual([]);
});

testRows(
  'readings of a start that was seen at noon',
  (...dates) => {
    const exchange = page({}, ['Date', NOON]);
    const readings = dates.map((date) => ({
      record: listRecord({ started_at: date === '' ? null : `2026-11-23T${date}:00Z` }),
      exchange,
    }));
    return datedBetween('started_at', readings, exchange, exchange);
  },
  {
    held: ['12:00,12:00', '11:56,12:04', '00:00,12:00'],
    broken: ['00:00,00:00', '23:00,23:00'],
    unseen: ['00:00,'],
  },
);
