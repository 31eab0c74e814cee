import { expect, test } from 'vitest';
import type { Judgement } from '../judgement.ts';
import { exchangeOf } from './exchange.test.support.ts';
import { madeForDefault, servesPage } from './page-size.ts';

function outcome({ seen, violations }: Judgement): string {
  if (violations.length > 0) return 'violated';
  return seen === 0 ? 'vacuous' : 'held';
}

function page(count: number, pagination: unknown, status = 200) {
  const data = Array.from({ length: count }, () => ({}));
  return exchangeOf({ status, body: { data, pagination } });
}

test.each([
  [3, 200, 'held'],
  [0, 200, 'held'],
  [4, 200, 'violated'],
  [3, 400, 'violated'],
  [3, 503, 'vacuous'],
])('%i items for a size of 3, status %i: %s', (count, status, expected) => {
  expect(outcome(servesPage(page(count, {}, status), 3))).toBe(expected);
});

test.each([
  [50, 'more', 50, 'held'],
  [50, null, 50, 'held'],
  [7, null, 50, 'held'],
  [7, null, 7, 'vacuous'],
  [7, null, 20, 'violated'],
  [51, 'more', 51, 'violated'],
  [20, 'more', 20, 'violated'],
  [20, 'more', 50, 'held'],
])('%i items, next %s, size %i: %s', (count, next, size, expected) => {
  expect(outcome(madeForDefault(page(count, { next, size }), 50))).toBe(expected);
});

test('a refused page is not made for the default', () => {
  expect(outcome(madeForDefault(page(0, {}, 400), 50))).toBe('violated');
  expect(outcome(madeForDefault(page(0, {}, 503), 50))).toBe('vacuous');
});
