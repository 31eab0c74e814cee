/** Lists sorted by size: the order is not stated, so any that both directions agree on will do. */

import { type Judgement, vacuous } from '../judgement.ts';
import type { WireRecord } from './records.ts';
import { type SortedList, opposite } from './sorting.ts';

/** What a service may weigh sizes by: two that weigh the same are a tie, and stand in any order. */
const weights: readonly ((record: WireRecord) => unknown)[] = [
  (record) => record['size'],
  // `8x-h100` and `h100-sxm-8`: the count comes first or last in the name.
  (record) => numbersIn(record['size']).at(0),
  (record) => numbersIn(record['size']).at(-1),
  (record) => record['cpu_count'],
  (record) => record['hourly_rate'],
];

function numbersIn(size: unknown): readonly string[] {
  return typeof size === 'string' ? (size.match(/\d+/gu) ?? []) : [];
}

/**
 * One direction is the reverse of the other by some weight. `sortedBy` gives a list with the keys of one weight.
 * Vacuous when there is no weight by which two items differ.
 */
export function oppositeBySize(
  sortedBy: (weight: (record: WireRecord) => unknown) => {
    readonly up: SortedList;
    readonly down: SortedList;
  },
): Judgement {
  const judgements = weights
    .map((weight) => {
      const { up, down } = sortedBy(weight);
      return opposite(up, down);
    })
    .filter(({ seen }) => seen > 0);
  return (
    judgements.find(({ violations }) => violations.length === 0) ?? judgements.at(0) ?? vacuous
  );
}
