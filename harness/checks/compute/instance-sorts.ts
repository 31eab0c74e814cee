/** What each sort of the instance list must look like, in both directions (compute#list-instances/sort_field). */

import type { instanceSortFields } from '../../../schemas/compute/list-instances.ts';
import { type Judgement, expectThat, together, notObserved } from '../judgement.ts';
import { type WireRecord, numberOf } from './records.ts';
import type { Part } from './selection.ts';
import {
  type CompareKeys,
  bySomeOrder,
  compareNumbers,
  compareTexts,
  regionOrders,
} from './sort-key.ts';
import { oppositeBySize } from './sort-size.ts';
import { type SortedList, inOrder, opposite, someOrder } from './sorting.ts';
import { stepOfKeys } from './tied-steps.ts';

export type InstanceSort = keyof typeof instanceSortFields;

/** The same list, sorted in both directions. */
export interface Directions {
  readonly up: Part;
  readonly down: Part;
}

/** Costs move while a page is made: less than a hundredth of a credit is no difference. */
const COST_GRAIN = 0.01;

const compareCosts: CompareKeys = (left, right) =>
  typeof left === 'number' && typeof right === 'number' && Math.abs(left - right) <= COST_GRAIN
    ? 0
    : compareNumbers(left, right);

/** Sorts whose order can be told from one list: the member that holds the key, and how keys may compare. */
const orderedSorts = {
  NAME: ['name', [compareTexts]],
  REGION: ['region', regionOrders],
  HOURLY_RATE: ['hourly_rate', [compareNumbers]],
  CURRENT_COST: ['current_cost', [compareCosts]],
} as const satisfies Partial<Record<InstanceSort, readonly [string, readonly CompareKeys[]]>>;

/** A list with the key that each item was sorted by. */
export function sortedBy(list: Part, keyOf: (record: WireRecord) => unknown): SortedList {
  const items = list.records.map((record, index) => ({
    id: list.ids[index] ?? '',
    key: keyOf(record),
  }));
  return { items, exchanges: list.exchanges };
}

/** Both directions of one sort. GPU_TYPE, SIZE and STATUS have no stated order: any that both agree on will do. */
export function bothDirections(sort: InstanceSort, { up, down }: Directions): Judgement {
  if (sort === 'SIZE') {
    return oppositeBySize(
      (weight) => ({ up: sortedBy(up, weight), down: sortedBy(down, weight) }),
      up.records,
    );
  }
  if (sort === 'STATUS') {
    const status = (record: WireRecord) => record['status'];
    const [ascending, descending] = [sortedBy(up, status), sortedBy(down, status)];
    return tellsStates(ascending, descending);
  }
  if (sort === 'GPU_TYPE') {
    const model = (record: WireRecord) => record['gpu_type'];
    return someOrder(sortedBy(up, model), sortedBy(down, model));
  }
  const [member, orders] = orderedSorts[sort];
  const key = (record: WireRecord) => record[member];
  const [ascending, descending] = [sortedBy(up, key), sortedBy(down, key)];
  const each = bySomeOrder<CompareKeys>(orders, (compare) =>
    together(inOrder(ascending, 'ASC', compare), inOrder(descending, 'DESC', compare)),
  );
  // Text beyond ASCII has no order that all collations agree on, and each still has its reverse.
  const isText = member !== 'hourly_rate' && member !== 'current_cost';
  return isText ? together(each, opposite(ascending, descending)) : each;
}

/**
 * A sort by state tells at least what runs from what has ended for good: which others it tells apart, and in which
 * order, is open. It may do no more than to put what has ended behind what has not.
 */
function tellsStates(up: SortedList, down: SortedList): Judgement {
  const stepOf = stepOfKeys(up.items, down.items);
  const [running, ended] = [stepOf.get('RUNNING'), stepOf.get('TERMINATED')];
  if (running === undefined || ended === undefined) return notObserved;
  return expectThat(
    running !== ended,
    'A sort by state mixes what runs with what is terminated.',
    { expected: 'one before the other', actual: [...stepOf.keys()].map(String).join(', ') },
    ...up.exchanges,
    ...down.exchanges,
  );
}

/** Figures by which lists are sorted and that move while a list is walked, with what is no difference. */
const movingSorts = {
  CURRENT_COST: ['current_cost', COST_GRAIN],
  HOURLY_RATE: ['hourly_rate', 0],
} as const;

/** True for a sort by what may move from one page to the next. */
export function isMovingSort(sort: InstanceSort): sort is keyof typeof movingSorts {
  return sort in movingSorts;
}

/**
 * Both directions of a sort by a moving figure over several pages. It moves from one page to the next: an item has
 * every figure between the least and the most that `others` and its own page show of it.
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
  const byId = (list: Part): SortedList => ({
    items: list.ids.map((id) => ({ id, key: id })),
    exchanges: list.exchanges,
  });
  return together(inOrder(byId(up), 'ASC', compare), inOrder(byId(down), 'DESC', compare));
}
