import { describe, expect, test } from 'vitest';
import { listRecord } from '../compute/exchange.test.support.ts';
import type { WireRecord } from '../compute/records.ts';
import { notObserved, pass, violated } from '../judgement.ts';
import { testCheck, testVerdicts } from '../verdict.test.support.ts';
import { inOrder, opposite, oppositeBySize, type SortedList, stepOfKeys } from './order.ts';
import {
  bySomeOrder,
  compareAmounts,
  compareNumbers,
  compareTexts,
  regionOrders,
} from './sort-keys.ts';

type Keys = readonly unknown[];

/** Items whose id is their key and their index among equal keys, so that lists share ids. */
function list(keys: Keys): SortedList {
  const met = new Map<unknown, number>();
  const items = keys.map((key) => {
    const count = (met.get(key) ?? 0) + 1;
    met.set(key, count);
    return { id: `${String(key)}#${count}`, key };
  });
  return { items, exchanges: [] };
}

testCheck('numbers upwards', (keys: Keys) => inOrder(list(keys), 'ASC', compareNumbers), {
  held: [
    [1, 2, 10],
    [1, 1, 2],
    ['1', '9', '10'],
    [null, 1, null, 2],
  ],
  broken: [
    [1, 10, 2],
    ['1', '10', '9'],
    [9, 1, 2, 3, 4, 5, 6, 7, 8],
  ],
  unseen: [
    [0.3, 0.1 + 0.2, 0.3],
    [5, 5],
    ['8 GB', '4 GB'],
  ],
});

testCheck('numbers downwards', (keys: Keys) => inOrder(list(keys), 'DESC', compareNumbers), {
  held: [[3, 2, 1]],
  broken: [[1, 2, 3]],
});

// By code unit, without case, with numbers as numbers or as text, without punctuation, and with absent keys anywhere.
testCheck('texts', (row: string) => inOrder(list(row.split(',')), 'ASC', compareTexts), {
  held: ['B,a,c', 'a,B,c', 'node-2,node-10,zeta', 'node-10,node-2,zeta', 'ab,a-c,ad', 'a,b,'],
  broken: ['b,,a', 'b,a,c', 'gamma,alpha,beta'],
  unseen: ['ж,a'],
});

testCheck(
  'both directions',
  (row: string) => {
    const [up = '', down = ''] = row.split(' ');
    return opposite(list(up.split(',')), list(down.split(',')));
  },
  {
    held: ['a,b,c c,b,a', 'a,A,b b,a,A', 'a,b, b,a,', ',a,b ,b,a'],
    broken: ['a,b,c a,b,c', 'a,b,c c,a,b', 'a,b, a,b,'],
    unseen: ['a,A a,A', 'ß,ss ß,ss', 'a-b,ab a-b,ab', 'x x'],
  },
);

test('an item that changed in between says nothing of the directions', () => {
  const keyed = (x: number) => ({
    ...list([]),
    items: [
      { id: 'x', key: x },
      { id: 'y', key: 2 },
    ],
  });
  expect(opposite(keyed(1), keyed(3))).toEqual(notObserved);
});

test.for([
  ['180 GiB', '1440 GiB', -1],
  ['1440GB', '180GB', 1],
  ['64 GB', '64.0 GB', 0],
  ['2 TB', '512 GB', 0],
  ['64', '128', -1],
  [64, '128', -1],
  ['much', 'little', 0],
] as const)('the amounts %j and %j: %j', ([left, right, order]) => {
  expect(compareAmounts(left, right)).toBe(order);
});

test('regions stand as text or as they are listed, and without one anywhere', () => {
  const orders = (left: unknown, right: unknown) =>
    regionOrders.map((compare) => compare(left, right));
  expect(orders('FR', 'UAE')).toEqual([-1, 1]);
  expect(orders('US', 'FR')).toEqual([1, 1]);
  expect(orders('', 'FR')).toEqual([0, 0]);
  expect(orders(null, 'FR')).toEqual([0, 0]);
});

test('one order that explains everything is enough, unless the plain one takes it for a tie', () => {
  const wrong = violated('wrong', { expected: 1, actual: 2 });
  const judged = (...judgements: readonly (typeof wrong)[]) =>
    bySomeOrder(judgements, (judgement) => judgement);
  expect(judged(wrong, pass())).toEqual(pass());
  expect(judged(wrong, notObserved)).toEqual(wrong);
  expect(judged(notObserved, pass())).toEqual(pass());
  expect(judged(notObserved, notObserved)).toEqual(notObserved);
  expect(judged(notObserved, wrong)).toEqual(notObserved);
});

const stepsBothWays = (...lists: Parameters<typeof stepOfKeys>) =>
  Math.max(0, ...stepOfKeys(...lists).values());
/** `b2` is the item b2 with the key b. */
const keyed = (text: string) => text.split(' ').map((id) => ({ id, key: id.slice(0, 1) }));

test.for([
  ['one is the reverse of the other', 'a1 b1 c1', 'c1 b1 a1', 3],
  ['items with one key are a tie', 'a1 a2 b1', 'b1 a1 a2', 2],
  ['two keys of one weight are a tie', 'a1 b1 c1 d1', 'c1 d1 a1 b1', 2],
  ['what stands between a tie is tied', 'a1 b1 a2 c1', 'c1 a2 b1 a1', 2],
  ['the same order in both is one tie', 'a1 b1 c1', 'a1 b1 c1', 1],
  ['keys that come back all over are one tie', 'a1 b1 c1 a2', 'a2 c1 b1 a1', 1],
  ['ties that overlap are one', 'a1 b1 a2 c1 b2', 'b2 c1 a2 b1 a1', 1],
  ['nothing in common', 'a1 b1', 'c1 d1', 0],
] as const)('steps: %s', ([, up, down, steps]) => {
  expect(stepsBothWays(keyed(up), keyed(down))).toBe(steps);
});

test('an item that changed its key is left out of the steps', () => {
  expect(stepsBothWays(keyed('a1 b1'), [...keyed('b1'), { id: 'a1', key: 'z' }])).toBe(1);
});

describe('sizes', () => {
  /** Records of these sizes; the rate is the same, the CPU count is eight for each GPU. */
  const records = (sizes: string): readonly WireRecord[] =>
    sizes.split(' ').map((size) => {
      const count = Number.parseInt(size, 10);
      const resources = `${count} x H100, ${64 * count} GB`;
      return listRecord({ instance_id: size, size, resources, cpu_count: 8 * count });
    });
  const judged = (up: readonly WireRecord[], down: readonly WireRecord[]) => {
    const by = (of: readonly WireRecord[], weight: (record: WireRecord) => unknown) => ({
      items: of.map((record) => ({ id: String(record['instance_id']), key: weight(record) })),
      exchanges: [],
    });
    return oppositeBySize((weight) => [by(up, weight), by(down, weight)], up);
  };
  const both = (up: string, down: string) => judged(records(up), records(down));
  const alike = records('4x-a 1x-b 2x-a').map((record, index) => ({
    ...record,
    resources: `${index + 1} x H100, 1000 GB of disk`,
  }));
  /** The model is the letter behind the count, which alone is the size. */
  const ofModels = (skus: string) =>
    records(skus).map((record) => {
      const [size, gpu_type] = String(record['size']).split('-');
      return { ...record, size, gpu_type };
    });
  testVerdicts([
    ['by name', 'held', both('1x-a 1x-b 2x-a', '2x-a 1x-b 1x-a')],
    [
      'by count, ties in the same order both ways',
      'held',
      both('1x-b 1x-a 2x-a', '2x-a 1x-b 1x-a'),
    ],
    [
      'by a weight that is not shown, ties in any order',
      'held',
      both('4x-a 1x-b 2x-a 8x-b 1x-a', '8x-b 1x-a 1x-b 4x-a 2x-a'),
    ],
    [
      'by a weight that is not shown, where sizes are the same for several models',
      'held',
      judged(ofModels('4x-L 1x-L 4x-A 1x-M 4x-H'), ofModels('4x-H 1x-M 4x-A 4x-L 1x-L')),
    ],
    ['by nothing', 'broken', both('1x-b 8x-a 2x-a', '1x-b 8x-a 2x-a')],
    ['one alone', 'unseen', both('1x-a', '1x-a')],
    ['by a weight that may be the same for all', 'unseen', judged(alike, alike)],
  ]);
});
