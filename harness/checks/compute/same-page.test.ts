import { expect, test } from 'vitest';
import type { Judgement } from '../judgement.ts';
import { exchangeOf, listRecord } from './exchange.test.support.ts';
import { samePage, stableOrder } from './same-page.ts';

function outcome({ seen, violations }: Judgement): string {
  if (violations.length > 0) return 'violated';
  return seen === 0 ? 'vacuous' : 'held';
}

function page(ids: string, status = 200) {
  const data = Array.from(ids, (id) => listRecord({ instance_id: id }));
  return exchangeOf({ status, body: { data } });
}

test.each([
  [page('a'), page('a'), 'held'],
  [page('a'), page('b'), 'violated'],
  [page('a'), page('', 400), 'violated'],
  [page('', 400), page('a'), 'vacuous'],
  [page('a'), page('', 503), 'vacuous'],
])('a cursor used twice', (first, again, expected) => {
  expect(outcome(samePage({ before: ['a', 'b'], after: ['a', 'b'] }, first, again))).toBe(expected);
});

test('a cursor used twice while the list changes says nothing', () => {
  expect(outcome(samePage({ before: ['a'], after: ['b', 'a'] }, page('a'), page('b')))).toBe(
    'vacuous',
  );
});

test.each([
  [['abc', 'abc', 'abc', 'abc'], 'held'],
  [['abc', 'acb', 'acb', 'acb'], 'violated'],
  [['abc', 'abd', 'abd', 'abd'], 'vacuous'],
  [['abc', 'bcd', 'cde', 'def'], 'violated'],
  [['abc', 'def', 'def', 'abc', 'abc', 'def'], 'violated'],
  [['abc', 'def', 'def', 'abc', 'abc'], 'vacuous'],
  [['a', 'b'], 'vacuous'],
  [['abc'], 'vacuous'],
])('reads %j: %s', (reads, expected) => {
  const seen = reads.map((ids) => ({ ids: Array.from(ids), exchanges: [] }));
  expect(outcome(stableOrder(seen))).toBe(expected);
});

test.each([
  [['abc', 'acb', 'acb', 'acb'], 'violated'],
  [['abc', 'bcd', 'cde', 'def'], 'vacuous'],
])('reads %j of items without names: %s', (reads, expected) => {
  const seen = reads.map((ids) => ({ ids: Array.from(ids), exchanges: [] }));
  expect(outcome(stableOrder(seen, false))).toBe(expected);
});
