import { describe, expect, test } from 'vitest';
import type { Bracket, Extent, Seen } from './bracket.ts';
import {
  disjoint,
  inversions,
  leadsOn,
  movedAhead,
  nothingForeign,
  overtaken,
  sameItems,
  samePage,
  sameSequence,
  stableOrder,
  withoutGaps,
  withoutRepeats,
} from './walk.ts';
import { outcomeOf } from '../compute/verdicts.test.support.ts';
import type { Judgement } from '../judgement.ts';
import { exchangeOf, listRecord } from '../compute/exchange.test.support.ts';

function still(ids: string): Bracket<string> {
  return { before: ids.split(''), after: ids.split('') };
}

function moved(before: string, after: string): Bracket<string> {
  return { before: before.split(''), after: after.split('') };
}

function walked(ids: string): Seen {
  return { ids: ids.split(''), exchanges: [] };
}

describe('a walk', () => {
  test.each([
    ['abc', 'abc', 'held'],
    ['abc', 'acb', 'violated'],
    ['abc', 'ab', 'violated'],
    ['abc', 'abcc', 'violated'],
    ['', '', 'vacuous'],
  ])('of %s that gives %s: %s', (whole, walk, expected) => {
    expect(outcomeOf(sameSequence(still(whole), walked(walk)))).toBe(expected);
  });

  test('over a list that changed may be either, and is never a violation', () => {
    expect(outcomeOf(sameSequence(moved('abc', 'xabc'), walked('abc')))).toBe('held');
    expect(outcomeOf(sameSequence(moved('abc', 'xabc'), walked('xabc')))).toBe('held');
    expect(outcomeOf(sameSequence(moved('abc', 'xabc'), walked('aabc')))).toBe('vacuous');
  });

  test('with a repeat', () => {
    expect(outcomeOf(withoutRepeats(still('abc'), walked('abc')))).toBe('held');
    expect(outcomeOf(withoutRepeats(still('abc'), walked('abbc')))).toBe('violated');
    expect(outcomeOf(withoutRepeats(moved('abc', 'xabc'), walked('abbc')))).toBe('vacuous');
    expect(outcomeOf(withoutRepeats(still('a'), walked('a')))).toBe('vacuous');
  });

  test('with a gap', () => {
    expect(outcomeOf(withoutGaps(still('abc'), walked('cba')))).toBe('held');
    expect(outcomeOf(withoutGaps(still('abc'), walked('ac')))).toBe('violated');
    expect(outcomeOf(withoutGaps(moved('abc', 'bc'), walked('bc')))).toBe('held');
    expect(outcomeOf(withoutGaps(moved('abc', 'bc'), walked('c')))).toBe('vacuous');
    expect(outcomeOf(withoutGaps(still(''), walked('')))).toBe('vacuous');
  });

  test('of the same items in another order', () => {
    expect(outcomeOf(sameItems(still('abc'), walked('cba')))).toBe('held');
    expect(outcomeOf(sameItems(still('abc'), walked('cbb')))).toBe('violated');
  });
});

describe('two parts', () => {
  test.each([
    ['ab', 'cd', 'ab', 'held'],
    ['ab', 'bc', 'ab', 'violated'],
    ['ab', 'bc', 'a', 'held'],
    ['ab', '', 'ab', 'vacuous'],
  ])('%s and %s, then %s: %s', (first, second, again, expected) => {
    expect(outcomeOf(disjoint(walked(first), walked(second), walked(again)))).toBe(expected);
  });
});

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

test.each([
  [200, 'held'],
  [400, 'violated'],
  [404, 'violated'],
  [401, 'vacuous'],
  [429, 'vacuous'],
  [500, 'vacuous'],
])('a cursor that is answered with %i: %s', (status, said) => {
  expect(outcomeOf(leadsOn(exchangeOf(), exchangeOf({ status })))).toBe(said);
});

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

const pairs = (expected: string, actual: string, most = 9) =>
  inversions(Array.from(expected), Array.from(actual), most)?.map(
    ({ first, second }) => `${first}${second}`,
  );

test.each([
  ['abcd', 'abcd', []],
  ['abcd', 'acbd', ['bc']],
  ['abcdef', 'bacdfe', ['ab', 'ef']],
  ['abcde', 'aedcb', ['be']],
  ['abc', 'cab', ['ac']],
])('from %s to %s, one pair of each stretch: %j', (expected, actual, found) => {
  expect(pairs(expected, actual)).toEqual(found);
});

test.each([
  ['abc', 'ab'],
  ['ab', 'abc'],
  ['abc', 'abd'],
  ['abc', 'aab'],
  ['aab', 'aba'],
])('%s and %s differ by more than their order', (expected, actual) => {
  expect(pairs(expected, actual)).toBeUndefined();
});

test('of many stretches a few from all over the list', () => {
  expect(pairs('abcdefghij', 'badcfehgji', 2)).toEqual(['ab', 'gh']);
});

test.each([
  ['abc', 'abc', ''],
  ['abc', 'xabc', ''],
  ['abc', 'bac', 'a'],
  ['abcd', 'cabd', ''],
  ['ab', 'ba', 'a'],
  ['axb', 'bxa', 'ax'],
  ['ab', 'b', ''],
  ['a', 'ba', ''],
  ['ab', 'a', ''],
])('b, in %s and then in %s, overtook "%s"', (before, after, others) => {
  expect(overtaken('b', before.split(''), after.split('')).join('')).toBe(others);
});

test('who was overtaken is told', () => {
  const { violations } = movedAhead('b', 'a', 'after it was stopped');
  expect(violations[0]?.message).toBe(
    'An instance changed its place in the default order after it was stopped.',
  );
});
