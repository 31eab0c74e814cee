import { describe, expect, test } from 'vitest';
import { notObserved } from '../judgement.ts';
import { outcomeOf, testVerdicts } from '../verdict.test.support.ts';
import { costKept, costNotReset, sameRemainingHours, totalNotReset } from './meters.ts';
import { listRecord, stopAnswer as stop } from './exchange.test.support.ts';

describe('remaining hours', () => {
  const left = (ttl_remaining_hours: unknown, hourly_rate = 1, status = 200) =>
    stop({ ttl_remaining_hours, hourly_rate }, status);
  test.for([
    ['held', 71.5, 71.5, 71.5],
    ['held', 71.5, 71.49, 71.49],
    ['broken', 71.5, 12, 71.5],
    ['drifting', 71.5, 12, 12],
    ['unseen', 71.5, '71.5', 71.5],
  ] as const)('%s: %j, %j, %j', ([outcome, a, b, c]) => {
    const judgement = sameRemainingHours(left(a), left(b, 2), left(c));
    expect(judgement === 'drifting' ? judgement : outcomeOf(judgement)).toBe(outcome);
  });

  test('of one rate, or refused, say nothing', () => {
    expect(sameRemainingHours(left(71.5), left(71.5), left(71.5))).toEqual(notObserved);
    expect(sameRemainingHours(left(1), left(2, 1, 404), left(1))).toEqual(notObserved);
  });
});

describe('the cost in the answer to a stop', () => {
  const total = (total_cost_incurred: number) => listRecord({ total_cost_incurred });
  const reset = (before: number, current: number) =>
    costNotReset(total(before), stop({ current_cost: current }));
  const kept = (before: number, current: number) =>
    costKept(total(before), stop({ current_cost: current }));
  testVerdicts([
    ['is that of the whole life', 'held', costNotReset(listRecord(), stop()), reset(84.7, 84)],
    ['is that of the run', 'broken', reset(84, 8.4)],
    ['shows the same total', 'held', totalNotReset(total(84), stop({ total_cost_incurred: 84 }))],
    ['shows a lost total', 'broken', totalNotReset(total(84), stop({ total_cost_incurred: 0 }))],
    ['may be rounded', 'unseen', reset(0.9, 0), costNotReset(listRecord(), stop({}, 409))],
    ['is not forgotten', 'held', kept(12, 12.5), kept(12, 11)],
    ['is forgotten', 'broken', kept(12, 0)],
    ['was hardly any', 'unseen', kept(0.01, 0), kept(0.4, 0)],
  ]);
});
