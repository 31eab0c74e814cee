import { describe, expect, test } from 'vitest';
import { compareNumbers, compareTexts } from './sort-keys.ts';
import { inOrder, opposite, oppositeBySize, type SortedList, stepsBothWays } from './order.ts';
import { outcomeOf } from '../compute/verdicts.test.support.ts';
import { listRecord } from '../compute/exchange.test.support.ts';
import type { WireRecord } from '../compute/records.ts';

describe('sorting', () => {
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
});

describe('tied steps', () => {
  /** `b2` is the item b2 with the key b. */
  const list = (text: string) => text.split(' ').map((id) => ({ id, key: id.slice(0, 1) }));

  test.each([
    ['one is the reverse of the other', 'a1 b1 c1', 'c1 b1 a1', 3],
    ['items with one key are a tie', 'a1 a2 b1', 'b1 a1 a2', 2],
    ['two keys of one weight are a tie', 'a1 b1 c1 d1', 'c1 d1 a1 b1', 2],
    ['what stands between a tie is tied', 'a1 b1 a2 c1', 'c1 a2 b1 a1', 2],
    ['the same order in both is one tie', 'a1 b1 c1', 'a1 b1 c1', 1],
    ['keys that come back all over are one tie', 'a1 b1 c1 a2', 'a2 c1 b1 a1', 1],
    ['ties that overlap are one', 'a1 b1 a2 c1 b2', 'b2 c1 a2 b1 a1', 1],
    ['nothing in common', 'a1 b1', 'c1 d1', 0],
  ] as const)('%s', (_, up, down, steps) => {
    expect(stepsBothWays(list(up), list(down))).toBe(steps);
  });

  test('an item that changed its key is left out', () => {
    const down = [
      { id: 'b1', key: 'b' },
      { id: 'a1', key: 'z' },
    ];
    expect(stepsBothWays(list('a1 b1'), down)).toBe(1);
  });
});

describe('sort size', () => {
  /** Records of these sizes; the rate is the same, the CPU count is eight for each GPU. */
  function records(...sizes: readonly string[]): readonly WireRecord[] {
    return sizes.map((size) => {
      const count = Number.parseInt(size, 10);
      const resources = `${count} x H100, ${64 * count} GB`;
      return listRecord({ instance_id: size, size, resources, cpu_count: 8 * count });
    });
  }

  function judged(up: readonly WireRecord[], down: readonly WireRecord[]): string {
    const list = (
      of: readonly WireRecord[],
      weight: (record: WireRecord) => unknown,
    ): SortedList => ({
      items: of.map((record) => ({ id: String(record['instance_id']), key: weight(record) })),
      exchanges: [],
    });
    const { seen, violations } = oppositeBySize(
      (weight) => ({ up: list(up, weight), down: list(down, weight) }),
      up,
    );
    return violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held';
  }

  test('sizes by name', () => {
    expect(judged(records('1x-a', '1x-b', '2x-a'), records('2x-a', '1x-b', '1x-a'))).toBe('held');
  });

  test('sizes by count, ties in the same order both ways', () => {
    expect(judged(records('1x-b', '1x-a', '2x-a'), records('2x-a', '1x-b', '1x-a'))).toBe('held');
  });

  test('a direction that does nothing', () => {
    const same = records('1x-b', '8x-a', '2x-a');
    expect(judged(same, same)).toBe('violated');
  });

  test('one size alone says nothing', () => {
    expect(judged(records('1x-a'), records('1x-a'))).toBe('vacuous');
  });

  test('a weight that the record does not show, and ties in any order', () => {
    const up = records('4x-a', '1x-b', '2x-a', '8x-b', '1x-a');
    const down = records('8x-b', '1x-a', '1x-b', '4x-a', '2x-a');
    expect(judged(up, down)).toBe('held');
  });

  test('a weight that the record does not show, and that may be the same for all', () => {
    const alike = records('4x-a', '1x-b', '2x-a').map((record, index) => ({
      ...record,
      resources: `${index + 1} x H100, 1000 GB of disk`,
    }));
    expect(judged(alike, alike)).toBe('vacuous');
  });
});
