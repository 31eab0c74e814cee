/** Sorted lists over several pages: each item comes once, and in order as far as the sort key does not change meanwhile. */

import { instanceSortFields } from '../../../schemas/compute/list-instances.ts';
import { type Judgement, notObserved, together } from '../judgement.ts';
import { numberOf, type WireRecord } from '../compute/records.ts';
import type { Part } from './bracket.ts';
import { inOrder, type SortedList } from './order.ts';
import type { CompareKeys } from './sort-keys.ts';
import { COST_GRAIN, type Directions, type InstanceSort, sortedBy } from './sorts.ts';
import { sameItems } from './walk.ts';

/** Sorts by figures that change while a list is walked, each with the difference that counts as equal. */
const movingSorts = {
  CURRENT_COST: ['current_cost', COST_GRAIN],
  HOURLY_RATE: ['hourly_rate', 0],
} as const;

/** True for a sort by a figure that may change between two pages. */
export function isMovingSort(sort: InstanceSort): sort is keyof typeof movingSorts {
  return sort in movingSorts;
}

/**
 * Both directions of a sort by a changing figure, over several pages. An item may have had any value between the lowest and
 * the highest that `others` and its own page show for it.
 */
export function movingOverPages(
  sort: keyof typeof movingSorts,
  { up, down }: Directions,
  others: readonly Part[],
): Judgement {
  const [member, grain] = movingSorts[sort];
  const shown = new Map<string, number[]>();
  for (const { ids, records } of [up, down, ...others]) {
    for (const [index, record] of records.entries()) {
      const cost = numberOf(record, member);
      const id = ids[index];
      if (cost !== undefined && id !== undefined) shown.set(id, [...(shown.get(id) ?? []), cost]);
    }
  }
  const compare: CompareKeys = (left, right) => {
    const [one, other] = [shown.get(String(left)), shown.get(String(right))];
    if (one === undefined || other === undefined) return 0;
    if (Math.max(...one) + grain < Math.min(...other)) return -1;
    return Math.max(...other) + grain < Math.min(...one) ? 1 : 0;
  };
  const byId = (list: Part): SortedList => sortedBy(list, (_record, id) => id);
  return together(inOrder(byId(up), 'ASC', compare), inOrder(byId(down), 'DESC', compare));
}

/** Whether the sort key of an item differs between reads: such an item may slip between two pages. */
export function hasMoved(lists: readonly Part[], keyOf: (record: WireRecord) => unknown): boolean {
  const keys = new Map<string, unknown>();
  for (const { ids, records } of lists) {
    for (const [index, id] of ids.entries()) {
      const key = keyOf(records[index] ?? {});
      if (keys.has(id) && !Object.is(keys.get(id), key)) return true;
      keys.set(id, key);
    }
  }
  return false;
}

/**
 * A walk over a sorted list that does not change brings every item once. It is not judged when it was not read to its end,
 * or has an item that the list has neither before nor after it, which came and went in between.
 */
export function keepsOverPages(
  sort: InstanceSort,
  { before, after }: { readonly before: Part; readonly after: Part },
  walked: Part,
): Judgement {
  const lists = [before, after, walked];
  const keyOf = (record: WireRecord) => record[instanceSortFields[sort]];
  const known = new Set([...before.ids, ...after.ids]);
  const isAtRest = !hasMoved(lists, keyOf) && walked.ids.every((id) => known.has(id));
  if (lists.some(({ end }) => end !== 'last-page') || !isAtRest) return notObserved;
  // The cost of a running instance rises on each page, even where the shown figure is rounded.
  const moves = ({ status }: WireRecord) => sort === 'CURRENT_COST' && status === 'RUNNING';
  const running = new Set(
    lists.flatMap(({ ids, records }) => ids.filter((_, index) => moves(records[index] ?? {}))),
  );
  const resting = ({ ids }: Part) => ids.filter((id) => !running.has(id));
  const whole = { before: resting(before), after: resting(after) };
  return sameItems(whole, { ...walked, ids: resting(walked) });
}
