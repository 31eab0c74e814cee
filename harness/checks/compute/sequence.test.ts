import { describe, expect, test } from 'vitest';
import type { Bracket, Seen } from './bracket.ts';
import {
  coversWhole,
  disjoint,
  isPrefix,
  isSuffix,
  sameItems,
  sameSequence,
  withoutGaps,
  withoutRepeats,
} from './sequence.ts';
import { outcomeOf } from './verdicts.test.support.ts';

function still(ids: string): Bracket<string> {
  return { before: ids.split(''), after: ids.split('') };
}

function moved(before: string, after: string): Bracket<string> {
  return { before: before.split(''), after: after.split('') };
}

function seen(ids: string): Seen {
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
    expect(outcomeOf(sameSequence(still(whole), seen(walk)))).toBe(expected);
  });

  test('over a list that changed may be either, and is never a violation', () => {
    expect(outcomeOf(sameSequence(moved('abc', 'xabc'), seen('abc')))).toBe('held');
    expect(outcomeOf(sameSequence(moved('abc', 'xabc'), seen('xabc')))).toBe('held');
    expect(outcomeOf(sameSequence(moved('abc', 'xabc'), seen('aabc')))).toBe('vacuous');
  });

  test('with a repeat', () => {
    expect(outcomeOf(withoutRepeats(still('abc'), seen('abc')))).toBe('held');
    expect(outcomeOf(withoutRepeats(still('abc'), seen('abbc')))).toBe('violated');
    expect(outcomeOf(withoutRepeats(moved('abc', 'xabc'), seen('abbc')))).toBe('vacuous');
    expect(outcomeOf(withoutRepeats(still('a'), seen('a')))).toBe('vacuous');
  });

  test('with a gap', () => {
    expect(outcomeOf(withoutGaps(still('abc'), seen('cba')))).toBe('held');
    expect(outcomeOf(withoutGaps(still('abc'), seen('ac')))).toBe('violated');
    expect(outcomeOf(withoutGaps(moved('abc', 'bc'), seen('bc')))).toBe('held');
    expect(outcomeOf(withoutGaps(moved('abc', 'bc'), seen('c')))).toBe('vacuous');
    expect(outcomeOf(withoutGaps(still(''), seen('')))).toBe('vacuous');
  });

  test('of the same items in another order', () => {
    expect(outcomeOf(sameItems(still('abc'), seen('cba')))).toBe('held');
    expect(outcomeOf(sameItems(still('abc'), seen('cbb')))).toBe('violated');
  });
});

describe('a window', () => {
  test.each([
    ['ab', 'held', 'violated'],
    ['bc', 'violated', 'held'],
    ['abc', 'held', 'held'],
    ['b', 'violated', 'violated'],
    ['', 'vacuous', 'vacuous'],
    ['zabc', 'violated', 'violated'],
  ])('%s of abc as the beginning is %s, as the end %s', (part, beginning, end) => {
    expect(outcomeOf(isPrefix(still('abc'), seen(part)))).toBe(beginning);
    expect(outcomeOf(isSuffix(still('abc'), seen(part)))).toBe(end);
  });

  test('of a list that changed is never a violation', () => {
    expect(outcomeOf(isPrefix(moved('abc', 'xabc'), seen('xa')))).toBe('held');
    expect(outcomeOf(isPrefix(moved('abc', 'xabc'), seen('b')))).toBe('vacuous');
    expect(outcomeOf(isSuffix(moved('abc', 'xab'), seen('ab')))).toBe('held');
    expect(outcomeOf(isSuffix(moved('abc', 'xab'), seen('x')))).toBe('vacuous');
  });

  test('and its counterpart cover the list', () => {
    expect(outcomeOf(coversWhole(still('abc'), seen('ab'), seen('bc')))).toBe('held');
    expect(outcomeOf(coversWhole(still('abc'), seen('a'), seen('c')))).toBe('violated');
  });
});

describe('two parts', () => {
  test.each([
    ['ab', 'cd', 'ab', 'held'],
    ['ab', 'bc', 'ab', 'violated'],
    ['ab', 'bc', 'a', 'held'],
    ['ab', '', 'ab', 'vacuous'],
  ])('%s and %s, then %s: %s', (first, second, again, expected) => {
    expect(outcomeOf(disjoint(seen(first), seen(second), seen(again)))).toBe(expected);
  });
});
