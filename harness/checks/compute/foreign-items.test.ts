import { expect, test } from 'vitest';
import { exchangeOf, listRecord } from './exchange.test.support.ts';
import type { Extent } from './extent.ts';
import { nothingForeign } from './foreign-items.ts';

function list(ids: string, end: Extent['end'] = 'last-page'): Extent {
  return { ids: Array.from(ids), end, exchanges: [] };
}

function judged(whole: Extent, shown: string, foreign = '', status = 200): string {
  const data = Array.from(shown, (id) => listRecord({ instance_id: id }));
  const answer = exchangeOf({ status, body: { data } });
  const around = { before: whole, after: whole };
  const { seen, violations } = nothingForeign(around, answer, Array.from(foreign));
  return violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held';
}

test('own instances and refusals are not foreign', () => {
  expect(judged(list('abc'), 'ab')).toBe('held');
  expect(judged(list('abc'), '', 'x', 400)).toBe('held');
  expect(judged(list('abc'), '', 'x', 503)).toBe('vacuous');
});

test('what the own list does not have is foreign, if that was read to its end', () => {
  expect(judged(list('abc'), 'ax')).toBe('violated');
  expect(judged(list('abc', 'limit'), 'ax')).toBe('held');
});

test('what another account has is foreign', () => {
  expect(judged(list('abc', 'limit'), 'ax', 'x')).toBe('violated');
});
