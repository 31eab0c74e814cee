import { expect, test } from 'vitest';
import { actionRecord, exchangeOf } from './exchange.test.support.ts';
import { sameRemainingHours } from './same-figure.ts';

function stop(hours: unknown, status = 200) {
  return exchangeOf({
    method: 'POST',
    path: '/instances/a/stop',
    status,
    body: actionRecord({ ttl_remaining_hours: hours }),
  });
}

test.each([
  [[71.5, 71.5, 71.5], 1, 0],
  [[71.5, 71.49, 71.49], 1, 0],
  [[71.5, 12, 71.5], 1, 1],
  [[71.5, 12, 12], 0, 0],
  [[71.5, '71.5', 71.5], 0, 0],
])('%j: seen %i, violated %i', ([a, b, c], seen, violated) => {
  const judgement = sameRemainingHours(stop(a), stop(b), stop(c));
  expect(judgement.seen).toBe(seen);
  expect(judgement.violations).toHaveLength(violated);
});

test('a refused stop says nothing', () => {
  expect(sameRemainingHours(stop(1), stop(2, 404), stop(1)).seen).toBe(0);
});
