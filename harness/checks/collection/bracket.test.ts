import { expect, test } from 'vitest';
import {
  type Part,
  comesRound,
  type Extent,
  inReach,
  settledOrder,
  standing,
  steadyItems,
  walkEnds,
} from './bracket.ts';

function walked(ids: string, end: Extent['end'] = 'last-page'): Extent {
  return { ids: Array.from(ids), end, exchanges: [] };
}

function cut(whole: Extent, walk: Extent): readonly string[] {
  const reach = inReach({ before: whole, after: whole }, walk);
  return [reach.bracket.before.join(''), reach.walk.ids.join('')];
}

test('two complete walks are compared whole', () => {
  expect(cut(walked('abc'), walked('ab'))).toEqual(['abc', 'ab']);
});

test('a walk that we ended is compared as far as it went', () => {
  expect(cut(walked('abc'), walked('ab', 'limit'))).toEqual(['ab', 'ab']);
});

test('a whole list that we ended is compared as far as it went', () => {
  expect(cut(walked('abc', 'limit'), walked('abcde'))).toEqual(['abc', 'abc']);
  expect(cut(walked('abc', 'limit'), walked('ab'))).toEqual(['abc', 'ab']);
});

test.each([
  ['last-page', 1, 0],
  ['cursor-again', 1, 1],
  ['limit', 0, 0],
  ['no-page', 0, 0],
] as const)('a walk that ended by %s', (end, seen, violations) => {
  const judgement = walkEnds(walked('ab', end));
  expect([judgement.seen, judgement.violations.length]).toEqual([seen, violations]);
});

test('what stands in both lists keeps its order', () => {
  expect(standing({ before: Array.from('dcba'), after: Array.from('edba') })).toEqual(
    Array.from('dba'),
  );
});

test('a walk that goes on after the whole list does not end', () => {
  const whole = { before: walked('ab'), after: walked('abc') };
  expect(walkEnds(walked('abab', 'limit'), whole).violations).toHaveLength(1);
  expect(walkEnds(walked('aba', 'limit'), whole).seen).toBe(0);
  const short = { before: walked('ab', 'limit'), after: walked('ab', 'limit') };
  expect(walkEnds(walked('abab', 'limit'), short).seen).toBe(0);
});

test('a walk that comes to one page twice does not end', () => {
  expect(comesRound(walked('', 'limit'), ['[1]', '[2]', '[1]']).violations).toHaveLength(1);
  expect(comesRound(walked('', 'limit'), ['[1]', '[2]']).seen).toBe(0);
  expect(comesRound(walked(''), ['[1]', '[2]'])).toMatchObject({ seen: 1, violations: [] });
});

function settled(before: string, after: string, end: Extent['end']): string {
  return settledOrder({ before: walked(before, end), after: walked(after, end) }).join('');
}

test('what was pushed on to a second page stands in the list once', () => {
  expect(settled('edccba', 'fedcbba', 'last-page')).toBe('edcba');
});

test('windows are held against all of a list that was read whole, less what came and went', () => {
  expect(settled('dcba', 'edca', 'last-page')).toBe('dca');
});

test('windows are held against half of a list that was cut', () => {
  expect(settled('fedcba', 'fedcba', 'limit')).toBe('fed');
  expect(settled('fedcba', 'gfedcb', 'limit')).toBe('fed');
});

test('windows are held against nothing of a group that changes places and reaches the cut', () => {
  expect(settled('fedcba', 'fbcade', 'limit')).toBe('f');
  expect(settled('efdcba', 'fedcba', 'limit')).toBe('efd');
  expect(settled('fedcba', 'abcdef', 'limit')).toBe('');
});

function part(ids: string): Part {
  return {
    ids: Array.from(ids),
    records: Array.from(ids, (id) => ({ id })),
    exchanges: [],
    end: 'last-page',
  };
}

test('what came or went while a walk was made is left out, and so is what it has twice', () => {
  const steady = steadyItems(part('abxcbd'), part('abcd'), part('abxd'));
  expect(steady.ids.join('')).toBe('ad');
  expect(steady.records).toEqual([{ id: 'a' }, { id: 'd' }]);
});

test('where nothing came or went everything stays, also what comes twice', () => {
  const walk = part('abcb');
  expect(steadyItems(walk, part('cba'), part('abc'))).toEqual(walk);
});
