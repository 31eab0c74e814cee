import { expect, test } from 'vitest';
import { notObserved } from '../judgement.ts';
import { actionRecord, exchangeOf } from './exchange.test.support.ts';
import { sameRemainingHours } from './figures.ts';
import { outcomeOf } from './verdicts.test.support.ts';

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
