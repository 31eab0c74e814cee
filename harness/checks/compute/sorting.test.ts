import { describe, expect, test } from 'vitest';
import { compareNumbers, compareTexts } from './sort-key.ts';
import { type SortedList, inOrder, opposite } from './sorting.ts';
import { outcomeOf } from './verdicts.test.support.ts';

/** Items whose id is their key and its place among equal keys, so that lists share ids. */
function list(...keys: readonly unknown[]): SortedList {
  const met = new Map<unknown, number>();
  const items = keys.map((key) => {
    const count = (met.get(key) ?? 0) + 1;
    met.set(key, count);
    return { id: `${String(key)}#${count}`, key };
  });
  return { items, exchanges: [] };
}

describe('numbers', () => {
  test.each([
    [[1, 2, 10], 'held'],
    [[1, 1, 2], 'held'],
    [['1', '9', '10'], 'held'],
    [[1, 10, 2], 'violated'],
    [['1', '10', '9'], 'violated'],
    [[0.3, 0.1 + 0.2, 0.3], 'vacuous'],
    [[5, 5], 'vacuous'],
    [['8 GB', '4 GB'], 'vacuous'],
    [[null, 1, null, 2], 'held'],
  ])('%j ascending: %s', (keys, expected) => {
    expect(outcomeOf(inOrder(list(...keys), 'ASC', compareNumbers))).toBe(expected);
  });

  test('descending', () => {
    expect(outcomeOf(inOrder(list(3, 2, 1), 'DESC', compareNumbers))).toBe('held');
    expect(outcomeOf(inOrder(list(1, 2, 3), 'DESC', compareNumbers))).toBe('violated');
  });

  test('an item far from its place is found', () => {
    expect(outcomeOf(inOrder(list(9, 1, 2, 3, 4, 5, 6, 7, 8), 'ASC', compareNumbers))).toBe(
      'violated',
    );
  });
});

describe('text', () => {
  test.each([
    ['by code unit', ['B', 'a', 'c'], 'held'],
    ['with none at the end', ['a', 'b', ''], 'held'],
    ['with none in the middle', ['b', '', 'a'], 'violated'],
    ['without case', ['a', 'B', 'c'], 'held'],
    ['with numbers as numbers', ['node-2', 'node-10', 'zeta'], 'held'],
    ['with numbers as text', ['node-10', 'node-2', 'zeta'], 'held'],
    ['without punctuation', ['ab', 'a-c', 'ad'], 'held'],
    ['by no collation', ['b', 'a', 'c'], 'violated'],
    ['newest first', ['gamma', 'alpha', 'beta'], 'violated'],
    ['where only scripts differ', ['ж', 'a'], 'vacuous'],
  ])('sorted %s: %j, %s', (_, keys, expected) => {
    expect(outcomeOf(inOrder(list(...keys), 'ASC', compareTexts))).toBe(expected);
  });
});

describe('both directions', () => {
  test.each([
    [['a', 'b', 'c'], ['c', 'b', 'a'], 'held'],
    [['a', 'b', 'c'], ['a', 'b', 'c'], 'violated'],
    [['a', 'b', 'c'], ['c', 'a', 'b'], 'violated'],
    [['a', 'A'], ['a', 'A'], 'vacuous'],
    [['ß', 'ss'], ['ß', 'ss'], 'vacuous'],
    [['a-b', 'ab'], ['a-b', 'ab'], 'vacuous'],
    [['a', 'A', 'b'], ['b', 'a', 'A'], 'held'],
    [['x'], ['x'], 'vacuous'],
    [['a', 'b', ''], ['b', 'a', ''], 'held'],
    [['', 'a', 'b'], ['', 'b', 'a'], 'held'],
    [['a', 'b', ''], ['a', 'b', ''], 'violated'],
  ])('%j and %j: %s', (ascending, descending, expected) => {
    expect(outcomeOf(opposite(list(...ascending), list(...descending)))).toBe(expected);
  });

  test('an item that changed in between says nothing', () => {
    const before = {
      items: [
        { id: 'x', key: 1 },
        { id: 'y', key: 2 },
      ],
      exchanges: [],
    };
    const after = {
      items: [
        { id: 'x', key: 3 },
        { id: 'y', key: 2 },
      ],
      exchanges: [],
    };
    expect(outcomeOf(opposite(before, after))).toBe('vacuous');
  });
});
