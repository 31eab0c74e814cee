import { describe, expect, test } from 'vitest';
import { exchangeOf } from '../compute/exchange.test.support.ts';
import { isEmptyPage, selectsPresets } from './presets.ts';
import { outcomeOf } from '../compute/verdicts.test.support.ts';
import type { Part } from './bracket.ts';

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

const links = [{ rel: 'self' }];
const bound = { presets: { items: 'data' } };

describe('where the presets are is known', () => {
  test.each([
    [200, { data: [], pagination: { next: null, size: 50 } }, 'held'],
    [200, { data: [], links, warnings: ['no such region'] }, 'held'],
    [200, { data: [{}] }, 'violated'],
    [200, { presets: [] }, 'violated'],
    [400, { error: {} }, 'violated'],
    [502, '', 'vacuous'],
  ])('%i %j: %s', (status, body, expected) => {
    const plain = exchangeOf({ body: { data: [{}] } });
    expect(outcomeOf(isEmptyPage(exchangeOf({ status, body }), 'A filter', plain, bound))).toBe(
      expected,
    );
  });
});

test('without presets an empty page shows nothing, and a refusal does', () => {
  const none = exchangeOf({ body: { data: [] } });
  expect(outcomeOf(isEmptyPage(none, 'A filter', none, bound))).toBe('vacuous');
  const refused = exchangeOf({ status: 400, body: { error: {} } });
  expect(outcomeOf(isEmptyPage(refused, 'A filter', none, bound))).toBe('violated');
});

describe('where the presets are is not known', () => {
  test.each([
    [{ data: [{}] }, 200, { data: [] }, 'held'],
    [{ data: [{}] }, 200, {}, 'held'],
    [[{}], 200, [], 'held'],
    [{ page: { presets: [{}] }, links }, 200, { page: { presets: [] }, links }, 'held'],
    [{ data: [{}], links }, 200, { data: [], links, warnings: ['no such region'] }, 'held'],
    [{ page: { presets: [{}] } }, 200, { page: { presets: [{}] } }, 'violated'],
    [{ data: [{}], links }, 200, { data: [{}], links }, 'violated'],
    [[{}], 200, [{}], 'violated'],
    [{ data: [] }, 200, { data: [] }, 'vacuous'],
    [{ data: [{}] }, 400, { error: {} }, 'violated'],
    [{ data: [{}] }, 200, 'no JSON', 'violated'],
    [{ data: [{}] }, 502, '', 'vacuous'],
  ])('%j, then %i %j: %s', (without, status, body, expected) => {
    const plain = exchangeOf({ body: without });
    const page = exchangeOf({ status, body });
    expect(outcomeOf(isEmptyPage(page, 'A filter', plain, undefined))).toBe(expected);
  });
});
