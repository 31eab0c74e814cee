import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { failsByChanceAlone } from './answers.ts';

function judged(...statuses: readonly number[]) {
  const { seen, violations } = failsByChanceAlone(statuses.map((status) => exchangeOf({ status })));
  return { seen, violations: violations.length };
}

test('answers without a failure are held', () => {
  expect(judged(200, 404, 200)).toEqual({ seen: 3, violations: 0 });
});

test('a failure or two may pass', () => {
  expect(judged(200, 500, 200, 500)).toEqual({ seen: 2, violations: 0 });
  expect(judged(500)).toEqual({ seen: 0, violations: 0 });
});

test('more do not', () => {
  expect(judged(200, 500, 500, 200, 500).violations).toBe(3);
});

test("a proxy's trouble is no failure of the service", () => {
  expect(judged(200, 502, 503, 504)).toEqual({ seen: 1, violations: 0 });
});
