import { expect, test } from 'vitest';
import type { Judgement } from '../judgement.ts';
import { emptyForEmptyAccount, keptOut } from './scoping.ts';
import { exchangeOf, listRecord } from './exchange.test.support.ts';

function outcome({ seen, violations }: Judgement): string {
  if (violations.length > 0) return 'violated';
  return seen === 0 ? 'vacuous' : 'held';
}

test.each([
  [403, 'held'],
  [404, 'held'],
  [401, 'violated'],
  [500, 'violated'],
  [200, 'vacuous'],
  [503, 'vacuous'],
])('a key that policy keeps out and %i: %s', (status, expected) => {
  expect(outcome(keptOut(exchangeOf({ status, body: {} })))).toBe(expected);
});

test.each([
  [200, [], 'held'],
  [200, [listRecord({ instance_id: 'theirs' })], 'violated'],
  [200, [listRecord({ instance_id: 'new' })], 'vacuous'],
  [404, [], 'violated'],
  [502, [], 'vacuous'],
])('an empty account that gets %i and %j: %s', (status, data, expected) => {
  const exchange = exchangeOf({ status, body: { data, pagination: { next: null, size: 50 } } });
  expect(outcome(emptyForEmptyAccount(exchange, ['theirs']))).toBe(expected);
});
