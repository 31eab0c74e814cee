/** How finely two lists may have been sorted by the same hidden weight, once in each direction. */

import type { SortedItem } from './sorting.ts';

/** Pairs grow with the square of the items. */
const COMPARED_ITEMS = 400;

/**
 * The most steps that a weight of the keys can have, if `up` is sorted by it upwards and `down` downwards: items with
 * the same key weigh the same, and so do two that stand in the same order in both lists, and all between them.
 * 1 when nothing but a tie of all items explains both; 0 when the lists have no item in common.
 */
export function stepsBothWays(up: readonly SortedItem[], down: readonly SortedItem[]): number {
  return Math.max(0, ...stepOfKeys(up, down).values());
}

/** The step, counted from 1, on which each key stands then. */
export function stepOfKeys(
  up: readonly SortedItem[],
  down: readonly SortedItem[],
): ReadonlyMap<unknown, number> {
  const other = new Map(down.map(({ id, key }, place) => [id, { key, place }]));
  const items = up.slice(0, COMPARED_ITEMS).flatMap(({ id, key }) => {
    const there = other.get(id);
    return there === undefined || !Object.is(there.key, key) ? [] : [{ key, place: there.place }];
  });
  // A class is a stretch of the upward list: for each item, the last one that weighs the same.
  const lastOf = items.map((_, index) => index);
  const join = (from: number, to: number): void => {
    lastOf[from] = Math.max(lastOf[from] ?? from, to);
  };
  for (const [index, one] of items.entries()) {
    for (const [beyond, two] of items.slice(index + 1).entries()) {
      if (one.place < two.place || Object.is(one.key, two.key)) join(index, index + 1 + beyond);
    }
  }
  let steps = 0;
  let end = -1;
  const stepOf = new Map<unknown, number>();
  for (const [index, last] of lastOf.entries()) {
    if (index > end) steps += 1;
    end = Math.max(end, last);
    stepOf.set(items[index]?.key, steps);
  }
  return stepOf;
}
