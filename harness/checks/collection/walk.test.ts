import { describe, expect, test } from 'vitest';
import { exchangeOf, listRecord } from '../compute/exchange.test.support.ts';
import type { Judgement } from '../judgement.ts';
import { testCheck, testRows, testVerdicts } from '../verdict.test.support.ts';
import {
  type Bracket,
  comesRound,
  type Extent,
  inReach,
  nothingEnds,
  type Part,
  type Seen,
  settledOrder,
  standing,
  steadyItems,
  walkEnds,
} from './bracket.ts';
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

const moved = (before: string, after: string): Bracket<string> => ({
  before: Array.from(before),
  after: Array.from(after),
});
const still = (ids: string) => moved(ids, ids);
const walked = (ids: string): Seen => ({ ids: Array.from(ids), exchanges: [] });
const list = (ids: string, end: Extent['end'] = 'last-page'): Extent => ({ ...walked(ids), end });

describe('the list before and after, and a walk', () => {
  const of =
    (check: (whole: Bracket<string>, seen: Seen) => Judgement) =>
    (before: string, after: string, ids: string) =>
      check(moved(before, after), walked(ids));
  testRows('the same sequence', of(sameSequence), {
    held: ['abc,abc,abc', 'abc,xabc,abc', 'abc,xabc,xabc'],
    broken: ['abc,abc,acb', 'abc,abc,ab', 'abc,abc,abcc'],
    unseen: [',,', 'abc,xabc,aabc'],
  });
  testRows('no repeat', of(withoutRepeats), {
    held: ['abc,abc,abc'],
    broken: ['abc,abc,abbc'],
    unseen: ['abc,xabc,abbc', 'a,a,a'],
  });
  testRows('no gap', of(withoutGaps), {
    held: ['abc,abc,cba', 'abc,bc,bc'],
    broken: ['abc,abc,ac'],
    unseen: ['abc,bc,c', ',,'],
  });
  testRows('the same items', of(sameItems), { held: ['abc,abc,cba'], broken: ['abc,abc,cbb'] });
});

describe('a walk', () => {
  const whole = { before: list('ab'), after: list('abc') };
  const short = { before: list('ab', 'limit'), after: list('ab', 'limit') };
  const cut = list('', 'limit');
  const empty = (pages: number) => ({
    ...cut,
    exchanges: Array.from({ length: pages }, exchangeOf),
  });
  testVerdicts([
    ['ends', 'held', walkEnds(list('ab'))],
    ['does not', 'broken', walkEnds(list('ab', 'cursor-again'))],
    ['was cut', 'unseen', walkEnds(list('ab', 'limit')), walkEnds(list('ab', 'no-page'))],
    ['goes on after the whole list', 'broken', walkEnds(list('abab', 'limit'), whole)],
    ['may be whole', 'unseen', walkEnds(list('aba', 'limit'), whole)],
    ['of a list that was cut', 'unseen', walkEnds(list('abab', 'limit'), short)],
    ['leads on without items', 'broken', nothingEnds(empty(2), whole.after)],
    ['leads on as the list might', 'unseen', nothingEnds(empty(1), whole.after)],
    ['leads on, and the list is cut', 'unseen', nothingEnds(empty(9), short.after)],
    ['has small empty pages', 'unseen', walkEnds(empty(9), whole)],
    ['comes to one page twice', 'broken', comesRound(cut, ['[1]', '[2]', '[1]'])],
    ['comes to other pages', 'unseen', comesRound(cut, ['[1]', '[2]'])],
    ['has empty pages', 'unseen', comesRound(cut, ['{"a":[]}', '[1]', '{"a":[]}'])],
    ['comes to its end', 'held', comesRound(list(''), ['[1]', '[2]'])],
  ]);

  test.for([
    [list('abc'), list('ab'), 'abc ab'],
    [list('abc'), list('ab', 'limit'), 'ab ab'],
    [list('abc', 'limit'), list('abcde'), 'abc abc'],
    [list('abc', 'limit'), list('ab'), 'abc ab'],
  ] as const)('that two lists cut is compared as far as both went: %#', ([all, walk, both]) => {
    const reach = inReach({ before: all, after: all }, walk);
    expect(`${reach.bracket.before.join('')} ${reach.walk.ids.join('')}`).toBe(both);
  });
});

testRows(
  'two parts, and the first again',
  (first, second, again) => disjoint(walked(first), walked(second), walked(again)),
  { held: ['ab,cd,ab', 'ab,bc,a'], broken: ['ab,bc,ab'], unseen: ['ab,,ab'] },
);

function page(ids: string, status = 200) {
  const data = Array.from(ids, (id) => listRecord({ instance_id: id }));
  return exchangeOf({ status, body: { data } });
}

const twice = (first: string, again: string, whole = still('ab')) =>
  samePage(whole, page(first, first === '' ? 400 : 200), page(again, again === '' ? 400 : 200));

testVerdicts([
  ['a cursor used twice', 'held', twice('a', 'a')],
  ['a cursor used twice', 'broken', twice('a', 'b'), twice('a', '')],
  ['a cursor refused at first', 'unseen', twice('', 'a')],
  ['a cursor that meets trouble', 'unseen', samePage(still('ab'), page('a'), page('', 503))],
  ['a cursor to nothing', 'unseen', samePage(still('ab'), page('a'), page(''))],
  ['a cursor used twice while the list changes', 'unseen', twice('a', 'b', moved('a', 'ba'))],
]);

/** Reads of a list; one that ends in a plus sign has a next page. */
const reads = (row: readonly string[]) =>
  row.map((ids) => list(ids.replace('+', ''), ids.endsWith('+') ? 'limit' : 'last-page'));

testRows('reads', (...row) => stableOrder(reads(row)), {
  held: ['abc,abc,abc,abc', 'abc+,ab+,abcd,abc+'],
  broken: ['abc,acb,acb,acb', 'abc,bcd,cde,def', 'abc,def,def,abc,abc,def', 'abcd,bac+,bac+,bac+'],
  unseen: ['abc,abd,abd,abd', 'abc,def,def,abc,abc', 'a,b', 'abc', 'abc+,a+', 'abc+,+'],
});

testRows('reads without names', (...row) => stableOrder(reads(row), false), {
  broken: ['abc,acb,acb,acb'],
  unseen: ['abc,bcd,cde,def'],
});

testCheck(
  'a cursor that is followed',
  (status: number) => leadsOn(exchangeOf(), exchangeOf({ status })),
  { held: [200], broken: [400, 404], unseen: [401, 429, 500] },
);

const foreign = (whole: Extent, shown: string, others = '', status = 200) =>
  nothingForeign({ before: whole, after: whole }, page(shown, status), Array.from(others));

testVerdicts([
  ['own instances', 'held', foreign(list('abc'), 'ab')],
  ['a refusal', 'held', foreign(list('abc'), '', 'x', 400)],
  ['trouble on the way', 'unseen', foreign(list('abc'), '', 'x', 503)],
  ['what the own list does not have', 'broken', foreign(list('abc'), 'ax')],
  ['what the own list may have', 'held', foreign(list('abc', 'limit'), 'ax')],
  ['what another account has', 'broken', foreign(list('abc', 'limit'), 'ax', 'x')],
]);

test.for([
  ['abcd', 'abcd', ''],
  ['abcd', 'acbd', 'bc'],
  ['abcdef', 'bacdfe', 'ab ef'],
  ['abcde', 'aedcb', 'be'],
  ['abc', 'cab', 'ac'],
  // More than the order differs.
  ...['abc ab', 'ab abc', 'abc abd', 'abc aab', 'aab aba'].map((two) => [
    ...two.split(' '),
    undefined,
  ]),
])('from %s to %s, one pair of each stretch: %s', ([expected = '', actual = '', found]) => {
  const pairs = inversions(Array.from(expected), Array.from(actual), 9);
  expect(pairs?.map(({ first, second }) => first + second).join(' ')).toBe(found);
});

test('of many stretches a few from all over the list', () => {
  const pairs = inversions(Array.from('abcdefghij'), Array.from('badcfehgji'), 2);
  expect(pairs?.map(({ first, second }) => first + second)).toEqual(['ab', 'gh']);
});

test.for([
  ['abc', 'abc', ''],
  ['abc', 'xabc', ''],
  ['abc', 'bac', 'a'],
  ['abcd', 'cabd', ''],
  ['axb', 'bxa', 'ax'],
  ['ab', 'b', ''],
  ['a', 'ba', ''],
  ['ab', 'a', ''],
] as const)('b, in %s and then in %s, overtook "%s"', ([before, after, others]) => {
  expect(overtaken('b', Array.from(before), Array.from(after)).join('')).toBe(others);
});

test('the instances that were overtaken are told', () => {
  const [told] = movedAhead('b', 'a', 'after it was stopped').violations;
  const message = 'An instance changed its place in the default order after it was stopped.';
  expect(told?.message).toBe(message);
});

describe('a list that was read twice', () => {
  test('keeps the order of what stands in both', () => {
    expect(standing(moved('dcba', 'edba')).join('')).toBe('dba');
  });

  test.for([
    ['what was pushed on to a second page stands once', 'edccba', 'fedcbba', 'last-page', 'edcba'],
    ['all of it, less what came and went', 'dcba', 'edca', 'last-page', 'dca'],
    ['half of it where it was cut', 'fedcba', 'fedcba', 'limit', 'fed'],
    ['half of it where it was cut', 'fedcba', 'gfedcb', 'limit', 'fed'],
    ['nothing of a group that reaches the cut', 'fedcba', 'fbcade', 'limit', 'f'],
    ['a group before the cut', 'efdcba', 'fedcba', 'limit', 'efd'],
    ['nothing', 'fedcba', 'abcdef', 'limit', ''],
  ] as const)('windows are held against %s', ([, before, after, end, settled]) => {
    const whole = { before: list(before, end), after: list(after, end) };
    expect(settledOrder(whole).join('')).toBe(settled);
  });

  const part = (ids: string): Part => ({
    ...list(ids),
    records: Array.from(ids, (id) => ({ id })),
  });

  test('has no steady item that came or went, or that a walk has twice', () => {
    const steady = steadyItems(part('abxcbd'), part('abcd'), part('abxd'));
    expect(steady).toMatchObject({ ids: ['a', 'd'], records: [{ id: 'a' }, { id: 'd' }] });
    expect(steadyItems(part('abcb'), part('cba'), part('abc'))).toEqual(part('abcb'));
  });
});
