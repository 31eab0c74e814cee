import { expect, test } from 'vitest';
import { exchangeOf, listRecord } from './exchange.test.support.ts';
import { lastPageIsNull } from './last-page.ts';

function page(count: number, next: unknown) {
  const data = Array.from({ length: count }, () => listRecord());
  return exchangeOf({ query: 'size=5', body: { data, pagination: { next, size: 5 } } });
}

test.each([
  [page(3, null), undefined, 'held'],
  [page(3, 'c'), page(0, null), 'violated'],
  [page(3, 'c'), page(2, null), 'vacuous'],
  [page(3, 'c'), undefined, 'vacuous'],
  [page(5, 'c'), page(0, null), 'vacuous'],
  [page(0, null), undefined, 'vacuous'],
  [exchangeOf({ status: 400 }), undefined, 'vacuous'],
])('the end of a list', (first, following, expected) => {
  const { seen, violations } = lastPageIsNull(first, following).judgement;
  expect(violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held').toBe(expected);
});

test('the end of another list than that of instances', () => {
  const presets = { operation: 'presets' as const, itemsIn: () => [{ sku: 'a' }] };
  const first = exchangeOf({
    path: '/presets',
    query: 'size=5',
    body: { offers: [{ sku: 'a' }], pagination: { next: null, size: 5 } },
  });
  expect(lastPageIsNull(first, undefined).judgement.seen).toBe(0);
  expect(lastPageIsNull(first, undefined, presets).judgement.seen).toBe(1);
});
