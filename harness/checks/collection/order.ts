/** Sorted lists: each direction by itself, and one against the other. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved, pass, present, together, violated } from '../judgement.ts';
import { bareText, type CompareKeys } from './sort-keys.ts';
import type { WireRecord } from '../compute/records.ts';

export type SortDirection = 'ASC' | 'DESC';

interface SortedItem {
  readonly id: string;
  readonly key: unknown;
}

export interface SortedList {
  readonly items: readonly SortedItem[];
  readonly exchanges: readonly Exchange[];
}

/** Items whose pairs are compared, at most: the number of pairs grows with the square. */
const COMPARED_ITEMS = 400;

/** The first result of `look` for a pair of items; undefined when it has none. */
function firstOfPairs<Item, Said>(
  items: readonly Item[],
  look: (earlier: Item, later: Item) => Said | undefined,
): Said | undefined {
  const compared = items.slice(0, COMPARED_ITEMS);
  let after = 0;
  for (const earlier of compared) {
    after += 1;
    for (let at = after; at < compared.length; at += 1) {
      const later = compared[at];
      const said = later === undefined ? undefined : look(earlier, later);
      if (said !== undefined) return said;
    }
  }
  return undefined;
}

/** No pair of items is the wrong way round. Ties and pairs whose order is open are not judged. */
export function inOrder(
  list: SortedList,
  direction: SortDirection,
  compare: CompareKeys,
): Judgement {
  const wanted = direction === 'ASC' ? -1 : 1;
  let seen = 0;
  const wrong = firstOfPairs(list.items, (earlier, later) => {
    // Most instances share their keys with others, and comparing texts is costly.
    if (Object.is(earlier.key, later.key)) return undefined;
    const order = compare(earlier.key, later.key);
    if (order === 0) return undefined;
    seen += 1;
    if (order === wanted) return undefined;
    return violated(
      `A list sorted ${direction} has two items the wrong way round.`,
      { expected: `${named(later)} before ${named(earlier)}`, actual: `${named(earlier)} first` },
      ...list.exchanges,
    );
  });
  return wrong ?? (seen === 0 ? notObserved : pass());
}

function named({ id, key }: SortedItem): string {
  return `${present(key)} (${id})`;
}

const lenient = new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: true });

/** True for an absent key: its place is not stated, and may be the same in both directions. */
function isNothing(key: unknown): boolean {
  return key === '' || key === null || key === undefined;
}

/** Whether some collation may treat the two keys as equal. */
function mayTie(left: unknown, right: unknown): boolean {
  if (Object.is(left, right) || isNothing(left) || isNothing(right)) return true;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  return bareText(left) === bareText(right) || lenient.compare(left, right) === 0;
}

/** The items that the other list has with the same key, each with its index there. */
function unchangedIn(items: readonly SortedItem[], other: readonly SortedItem[]) {
  const places = new Map(other.map(({ id, key }, index) => [id, { key, index }]));
  return items.flatMap((item) => {
    const there = places.get(item.id);
    return there !== undefined && Object.is(there.key, item.key)
      ? [{ ...item, index: there.index }]
      : [];
  });
}

/** One direction is the reverse of the other. Items that may tie, or whose key changed, are not judged. */
export function opposite(ascending: SortedList, descending: SortedList): Judgement {
  let seen = 0;
  const wrong = firstOfPairs(unchangedIn(ascending.items, descending.items), (earlier, later) => {
    if (earlier.id === later.id) return undefined;
    const isSame = earlier.index < later.index;
    // One pair that was judged is enough, and whether two texts may tie is costly to compute.
    if (!isSame && seen > 0) return undefined;
    if (mayTie(earlier.key, later.key)) return undefined;
    seen += 1;
    if (!isSame) return undefined;
    const actual = `${named(earlier)} before ${named(later)} in both`;
    return violated(
      'Two items stand in the same order in both sort directions.',
      { expected: 'one direction the reverse of the other', actual },
      ...ascending.exchanges,
      ...descending.exchanges,
    );
  });
  return wrong ?? (seen === 0 ? notObserved : pass());
}

/**
 * Both directions follow one order of the keys, whichever it is: items with one key are adjacent in each list, and one
 * direction is the reverse of the other. For keys without a stated order, such as GPU models.
 */
export function someOrder(ascending: SortedList, descending: SortedList): Judgement {
  return together(grouped(ascending), grouped(descending), opposite(ascending, descending));
}

/** Items with one key are adjacent, apart from items that may tie with them. */
function grouped({ items, exchanges }: SortedList): Judgement {
  const lastOf = new Map<unknown, number>();
  for (const [index, item] of items.entries()) {
    if (isNothing(item.key)) continue;
    const stranger = items
      .slice((lastOf.get(item.key) ?? index) + 1, index)
      .find(({ key }) => !mayTie(key, item.key));
    if (stranger !== undefined) {
      return violated(
        'A sorted list separates items that have the same sort value.',
        { expected: `${present(item.key)} together`, actual: named(stranger) },
        ...exchanges,
      );
    }
    lastOf.set(item.key, index);
  }
  return lastOf.size > 1 && lastOf.size < items.length ? pass() : notObserved;
}

/**
 * Splits the keys into the most steps that some weight can have, if `up` is sorted by it ascending and `down` descending.
 * Gives the step of each key, counted from 1. Two items share a step when they have the same key or the same order in both
 * lists, and so do all items between them. All keys share one step when only a tie explains both lists.
 */
export function stepOfKeys(
  up: readonly SortedItem[],
  down: readonly SortedItem[],
): ReadonlyMap<unknown, number> {
  const items = unchangedIn(up.slice(0, COMPARED_ITEMS), down);
  // A step is a stretch of the upward list. For each item: the last item that shares its step.
  const lastOf = items.map((_, index) => index);
  const join = (from: number, to: number): void => {
    lastOf[from] = Math.max(lastOf[from] ?? from, to);
  };
  for (const [index, one] of items.entries()) {
    for (const [beyond, two] of items.slice(index + 1).entries()) {
      if (one.index < two.index || Object.is(one.key, two.key)) join(index, index + 1 + beyond);
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

/** Weights that a service may sort sizes by; sizes of equal weight are a tie, in any order. */
const weights: readonly ((record: WireRecord) => unknown)[] = [
  (record) => record['size'],
  // In `8x-h100` the count comes first, in `h100-sxm-8` last.
  (record) => numbersIn(record['size']).at(0),
  (record) => numbersIn(record['size']).at(-1),
  (record) => record['cpu_count'],
  (record) => record['hourly_rate'],
];

function numbersIn(size: unknown): readonly string[] {
  return typeof size === 'string' ? (size.match(/\d+/gu) ?? []) : [];
}

/** Figures that are not part of a word: in `8x H100, 64 GB` the 8 and the 64. */
const FIGURES = /(?<![\p{L}\d.])\d+(?:\.\d+)?/gu;

function figuresOf({ resources }: WireRecord): readonly string[] {
  return typeof resources === 'string' ? (resources.match(FIGURES) ?? []) : [];
}

/**
 * One direction is the reverse of the other by some weight; `sortedBy` gives both lists with the keys of one weight. When
 * no known weight explains both lists, a hidden figure such as memory or disk may, as long as stepOfKeys finds more than
 * one step. Not observed when no weight differs between two items, or when the summary of the hardware has a figure that is
 * the same for all.
 */
export function oppositeBySize(
  sortedBy: (
    weight: (record: WireRecord) => unknown,
  ) => readonly [up: SortedList, down: SortedList],
  records: readonly WireRecord[],
): Judgement {
  const judgements = weights
    .map((weight) => opposite(...sortedBy(weight)))
    .filter(({ seen }) => seen > 0);
  const right = judgements.find(({ violations }) => violations.length === 0);
  const [wrong] = judgements;
  if (right !== undefined || wrong === undefined) return right ?? notObserved;
  // A SKU name may stand for several models, each with figures of its own.
  const [up, down] = sortedBy((record) => JSON.stringify([record['size'], record['gpu_type']]));
  if (Math.max(...stepOfKeys(up.items, down.items).values()) > 1) return pass();
  return isSameInOnePlace(records.map(figuresOf)) ? notObserved : wrong;
}

/** Whether all lists have the same figure at some index. */
function isSameInOnePlace(lists: readonly (readonly unknown[])[]): boolean {
  const [first = []] = lists;
  return first.some((figure, index) => lists.every((list) => list[index] === figure));
}
