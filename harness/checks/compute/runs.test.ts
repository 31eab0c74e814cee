import { describe, expect, test } from 'vitest';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import {
  costOfNewRun,
  runtimeKept,
  runtimeRests,
  startedAnew,
  startKept,
  terminationKept,
  totalsKept,
} from './runs.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const running = (change: Readonly<Record<string, unknown>>) => ({
  record: listRecord(change),
  exchange: exchangeOf(),
});

describe('the date of a second start', () => {
  const at = '2026-11-20T10:00:07Z';
  const minute = '2026-11-20T10:00:00Z';
  test.each([
    ['held', at, '2026-11-20T10:00:05Z', 2_000],
    ['violated', at, at, 2_000],
    ['violated', at, '2026-11-20T11:00:07+01:00', 2_000],
    ['violated', '2026-11-20T10:00:00.120Z', '2026-11-20T10:00:00.120Z', 50],
    ['vacuous', minute, minute, 30_000],
    ['violated', minute, minute, 90_000],
    ['vacuous', at, at, 900],
    ['vacuous', '2026-11-20T10:00:00.1Z', '2026-11-20T10:00:00.1Z', 90],
    ['vacuous', '2026-11-20T10:00Z', '2026-11-20T10:00Z', 90_000],
    ['vacuous', null, at, 2_000],
    ['vacuous', at, null, 2_000],
  ] as const)('%s: %s, then %s', (outcome, first, second, apartMs) => {
    const judgement = startedAnew(
      actionRecord({ started_at: first }),
      running({ started_at: second }),
      apartMs,
    );
    expect(outcomeOf(judgement)).toBe(outcome);
  });

  test('says nothing before the instance runs', () => {
    const starting = running({ started_at: at, status: 'STARTING' });
    expect(outcomeOf(startedAnew(actionRecord({ started_at: at }), starting, 2_000))).toBe(
      'vacuous',
    );
  });
});

describe('the date of the start after a stop', () => {
  test.each([
    ['held', '2026-11-20T10:00:00.120Z', '2026-11-20T11:00:00.120+01:00'],
    ['held', '2026-11-20T10:00:00.120Z', '2026-11-20T10:00:01Z'],
    ['violated', '2026-11-20T10:00:00.120Z', '2026-11-20T10:00:00.150Z'],
    ['violated', '2026-11-20T10:00:01Z', '2026-11-20T10:00:05Z'],
    ['vacuous', '2026-11-20T10:00:00Z', null],
    ['vacuous', '2026-11-20T10:00Z', '2026-11-20T10:05Z'],
  ] as const)('%s: %s, then %s', (outcome, first, second) => {
    const judgement = startKept(running({ started_at: first }), running({ started_at: second }));
    expect(outcomeOf(judgement)).toBe(outcome);
  });
});

describe('the date of a termination', () => {
  const terminated = (at: string | null, status = 'TERMINATED') =>
    running({ terminated_at: at, status });
  test.each([
    ['held', '2026-11-20T10:00:07.120Z', '2026-11-20T11:00:07.120+01:00'],
    ['held', '2026-11-20T10:00:07.120Z', '2026-11-20T10:00:07Z'],
    ['violated', '2026-11-20T10:00:07.120Z', '2026-11-20T10:00:09.320Z'],
    ['violated', '2026-11-20T10:00:07Z', '2026-11-20T10:00:09Z'],
    ['vacuous', '2026-11-20T10:00:07Z', null],
  ] as const)('%s: %s, then %s', (outcome, first, second) => {
    expect(outcomeOf(terminationKept(terminated(first), terminated(second)))).toBe(outcome);
  });

  test('may move until the end', () => {
    const [first, second] = ['2026-11-20T10:00:07Z', '2026-11-20T10:00:09Z'];
    const judgement = terminationKept(terminated(first, 'TERMINATING'), terminated(second));
    expect(outcomeOf(judgement)).toBe('vacuous');
  });
});

describe('the cost of a second run', () => {
  const stopped = running({ status: 'STOPPED', total_cost_incurred: 84 });
  test.each([
    ['held', { total_cost_incurred: 84.5, current_cost: 0.5 }],
    ['held', { total_cost_incurred: 84.01, current_cost: 0.02 }],
    ['held', { total_cost_incurred: 90, current_cost: 0 }],
    ['violated', { total_cost_incurred: 84.5, current_cost: 8.4 }],
    ['violated', { total_cost_incurred: 84, current_cost: 84 }],
    ['vacuous', { total_cost_incurred: 84, current_cost: 'much' }],
    ['vacuous', { total_cost_incurred: 84, current_cost: 84, status: 'STARTING' }],
  ] as const)('%s: %o', (outcome, change) => {
    expect(outcomeOf(costOfNewRun(stopped, running(change)))).toBe(outcome);
  });

  test('says nothing beside a record without the cost before', () => {
    const costless = running({ total_cost_incurred: 'much' });
    expect(outcomeOf(costOfNewRun(costless, running({})))).toBe('vacuous');
  });
});

describe('the totals after a start', () => {
  const START = '2026-11-20T10:00:00Z';
  const at = (hours: unknown, credits: unknown, status = 'STOPPED', started = START) =>
    running({
      total_runtime_hours: hours,
      total_cost_incurred: credits,
      status,
      started_at: started,
    });
  const again = (hours: unknown, credits: unknown) =>
    at(hours, credits, 'RUNNING', '2026-11-20T10:00:05Z');
  test.each([
    ['held', 0.0004, 0.0012, 0.0005, 0.0015],
    ['held', 20, 84, 19.9, 83],
    ['violated', 0.0004, 0.0012, 0.0001, 0.0015],
    ['violated', 0.0004, 0.0012, 0.0005, 0],
    ['vacuous', 0, 0, 0, 0],
    ['vacuous', 'some', 0, 0, 0],
  ] as const)('%s: %j hours and %j credits, then %d and %d', (outcome, ...figures) => {
    const [hours, credits, laterHours, laterCredits] = figures;
    const stopped = { single: at(hours, credits), listed: at(hours, credits) };
    const later = again(laterHours, laterCredits);
    expect(outcomeOf(totalsKept(stopped, later))).toBe(outcome);
  });

  test('say nothing where they had not come to rest before', () => {
    const later = again(0, 0);
    const moving = { single: at(0.5, 3), listed: at(0.4, 2) };
    expect(outcomeOf(totalsKept(moving, later))).toBe('vacuous');
    const stopping = { single: at(0.4, 2, 'STOPPING'), listed: at(0.4, 2) };
    expect(outcomeOf(totalsKept(stopping, later))).toBe('vacuous');
    const rested = { single: at(0.4, 2), listed: at(0.4, 2) };
    expect(outcomeOf(totalsKept(rested, at(0, 0, 'RUNNING')))).toBe('vacuous');
  });
});

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
