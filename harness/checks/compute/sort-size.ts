/** Lists sorted by size: the order is not stated, so any that both directions agree on will do. */

import { type Judgement, pass, notObserved } from '../judgement.ts';
import type { WireRecord } from './records.ts';
import { type SortedList, opposite } from './sorting.ts';
import { stepsBothWays } from './tied-steps.ts';

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

/** Figures that stand for themselves: in `8x H100, 64 GB` the 8 and the 64. */
const FIGURES = /(?<![\p{L}\d.])\d+(?:\.\d+)?/gu;

function figuresOf({ resources }: WireRecord): readonly string[] {
  return typeof resources === 'string' ? (resources.match(FIGURES) ?? []) : [];
}

/**
 * One direction is the reverse of the other by some weight. `sortedBy` gives a list with the keys of one weight.
 * Where none of the weights that we know of explains both, a figure that the record does not show may: the memory,
 * or the disk. It does as long as the ties that both lists show leave more than one step. Vacuous when there is no
 * weight by which two items differ, or when the summary of the hardware has a figure that is the same for all.
 */
export function oppositeBySize(
  sortedBy: (weight: (record: WireRecord) => unknown) => {
    readonly up: SortedList;
    readonly down: SortedList;
  },
  records: readonly WireRecord[],
): Judgement {
  const judgements = weights
    .map((weight) => {
      const { up, down } = sortedBy(weight);
      return opposite(up, down);
    })
    .filter(({ seen }) => seen > 0);
  const right = judgements.find(({ violations }) => violations.length === 0);
  const [wrong] = judgements;
  if (right !== undefined || wrong === undefined) return right ?? notObserved;
  const { up, down } = sortedBy((record) => record['size']);
  if (stepsBothWays(up.items, down.items) > 1) return pass();
  return isSameInOnePlace(records.map(figuresOf)) ? notObserved : wrong;
}

/** Whether lists of figures have the same one at some place. */
function isSameInOnePlace(lists: readonly (readonly unknown[])[]): boolean {
  const [first = []] = lists;
  return first.some((figure, place) => lists.every((list) => list[place] === figure));
}
