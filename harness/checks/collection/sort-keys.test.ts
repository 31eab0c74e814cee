import { expect, test } from 'vitest';
import { type Judgement, notObserved, pass, violated } from '../judgement.ts';
import { bySomeOrder, compareAmounts, regionOrders } from './sort-keys.ts';

test.each([
  ['180 GiB', '1440 GiB', -1],
  ['1440GB', '180GB', 1],
  ['64 GB', '64.0 GB', 0],
  ['2 TB', '512 GB', 0],
  ['64', '128', -1],
  [64, '128', -1],
  ['much', 'little', 0],
])('the amounts %j and %j: %j', (left, right, expected) => {
  expect(compareAmounts(left, right)).toBe(expected);
});

test('regions stand as text or as they are listed, and without one anywhere', () => {
  const orders = (left: unknown, right: unknown) =>
    regionOrders.map((compare) => compare(left, right));
  expect(orders('FR', 'UAE')).toEqual([-1, 1]);
  expect(orders('US', 'FR')).toEqual([1, 1]);
  expect(orders('', 'FR')).toEqual([0, 0]);
  expect(orders(null, 'FR')).toEqual([0, 0]);
});

test('one order that explains everything is enough', () => {
  const wrong = violated('wrong', { expected: 1, actual: 2 });
  const judged = (...judgements: readonly Judgement[]) =>
    bySomeOrder(judgements, (judgement) => judgement);
  expect(judged(wrong, pass())).toEqual(pass());
  expect(judged(wrong, notObserved)).toEqual(wrong);
  expect(judged(notObserved, pass())).toEqual(pass());
  expect(judged(notObserved, notObserved)).toEqual(notObserved);
});

test('where the plain order takes everything for a tie, no other one contradicts it', () => {
  const wrong = violated('wrong', { expected: 1, actual: 2 });
  expect(bySomeOrder([notObserved, wrong], (judgement) => judgement)).toEqual(notObserved);
});
