import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { selectsPresets } from './preset-filter.ts';
import type { Part } from '../collection/filter.ts';

function part(letters: string, end: Part['end'] = 'last-page'): Part {
  return {
    ids: Array.from(letters),
    records: Array.from(letters, (sku) => ({ sku })),
    end,
    exchanges: [exchangeOf({ status: end === 'no-page' ? 400 : 200, path: '/presets' })],
  };
}

/** The filter means capitals. */
function capitals(before: Part, filtered: Part, after = before): string {
  const { seen, violations } = selectsPresets({
    before,
    after,
    part: filtered,
    matches: ({ sku }) => typeof sku === 'string' && sku === sku.toUpperCase(),
    filter: 'capitals',
  });
  return violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held';
}

test.each([
  ['aBcD', 'BD', 'held'],
  ['aBcD', 'DB', 'held'],
  ['aBBc', 'BB', 'held'],
  ['aBBc', 'B', 'violated'],
  ['aBcD', 'B', 'violated'],
  ['aBcD', 'BcD', 'violated'],
  ['abc', '', 'vacuous'],
  ['abc', 'a', 'violated'],
])('of %s the capitals are %s: %s', (whole, filtered, expected) => {
  expect(capitals(part(whole), part(filtered))).toBe(expected);
});

test('a list that changed, or was not read to its end, says nothing', () => {
  expect(capitals(part('aB'), part('a'), part('B'))).toBe('vacuous');
  expect(capitals(part('aB', 'limit'), part('a'))).toBe('vacuous');
});

test('a walk that was not read to its end may have too much, and is not short of anything', () => {
  expect(capitals(part('aBcD'), part('BD', 'limit'))).toBe('vacuous');
  expect(capitals(part('aBcD'), part('B', 'limit'))).toBe('vacuous');
  expect(capitals(part('aBcD'), part('Bc', 'limit'))).toBe('violated');
  expect(capitals(part('aBcD'), part('BB', 'cursor-again'))).toBe('violated');
});

test('a filter that is refused is a violation', () => {
  expect(capitals(part('aB'), part('', 'no-page'))).toBe('violated');
});
