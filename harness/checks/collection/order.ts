/** Sorted lists: each direction for itself, and one against the other. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved, pass, present, together, violated } from '../judgement.ts';
import { bareText, type CompareKeys } from './sort-keys.ts';
import type { WireRecord } from '../compute/records.ts';

export type SortDirection = 'ASC' | 'DESC';

/** An item of a sorted list: its id, and the value that it was sorted by. */
interface SortedItem {
  readonly id: string;
  readonly key: unknown;
}

export interface SortedList {
  readonly items: readonly SortedItem[];
  readonly exchanges: readonly Exchange[];
}

/** Pairs grow with the square of the items: more than this are not compared with one another. */
const COMPARED_ITEMS = 400;

/** The first thing that `look` says of a pair; undefined when it says nothing of any. */
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

/**
 * A list is in order when no pair of its items stands the wrong way round. Pairs whose order is a tie or open
 * say nothing; a list without any other pair is not observed.
 */
export function inOrder(
  list: SortedList,
  direction: SortDirection,
  compare: CompareKeys,
): Judgement {
  const wanted = direction === 'ASC' ? -1 : 1;
  let seen = 0;
  const wrong = firstOfPairs(list.items, (earlier, later) => {
    // Most instances of an account share their keys with others, and what compares texts is costly.
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

/** True for a key that is none: where that stands is not stated, and may be the same place in both directions. */
function isNothing(key: unknown): boolean {
  return key === '' || key === null || key === undefined;
}

/** Whether some collation may take two keys for the same. */
function mayTie(left: unknown, right: unknown): boolean {
  if (Object.is(left, right) || isNothing(left) || isNothing(right)) return true;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  return bareText(left) === bareText(right) || lenient.compare(left, right) === 0;
}

/** The items that another list has with the same key, each with its place there. */
function unchangedIn(items: readonly SortedItem[], other: readonly SortedItem[]) {
  const places = new Map(other.map(({ id, key }, index) => [id, { key, index }]));
  return items.flatMap((item) => {
    const there = places.get(item.id);
    return there !== undefined && Object.is(there.key, item.key)
      ? [{ ...item, index: there.index }]
      : [];
  });
}

/**
 * One direction is the reverse of the other up to ties, whatever the order is. Two items in the same order
 * in both lists are a violation, unless they may tie, or one of them changed its key between the two reads.
 */
export function opposite(ascending: SortedList, descending: SortedList): Judgement {
  let seen = 0;
  const wrong = firstOfPairs(unchangedIn(ascending.items, descending.items), (earlier, later) => {
    if (earlier.id === later.id) return undefined;
    const isSame = earlier.index < later.index;
    // One pair that could have been wrong is enough, and whether two texts may tie is costly to tell.
    if (!isSame && seen > 0) return undefined;
    if (mayTie(earlier.key, later.key)) return undefined;
    seen += 1;
    if (!isSame) return undefined;
    const actual = `${named(earlier)} before ${named(later)} in both`;
    return violated(
      'Two items stand in the same order in both directions.',
      { expected: 'one direction the reverse of the other', actual },
      ...ascending.exchanges,
      ...descending.exchanges,
    );
  });
  return wrong ?? (seen === 0 ? notObserved : pass());
}

/**
 * Both directions follow one order of the keys, whichever that is: what has one key stands together in each list, and
 * one direction is the reverse of the other. For keys without a stated order, such as the models of a catalogue.
 */
export function someOrder(ascending: SortedList, descending: SortedList): Judgement {
  return together(grouped(ascending), grouped(descending), opposite(ascending, descending));
}

/** Items with one key stand together, but for others that may tie with them. */
function grouped({ items, exchanges }: SortedList): Judgement {
  const lastOf = new Map<unknown, number>();
  for (const [index, item] of items.entries()) {
    if (isNothing(item.key)) continue;
    const stranger = items
      .slice((lastOf.get(item.key) ?? index) + 1, index)
      .find(({ key }) => !mayTie(key, item.key));
    if (stranger !== undefined) {
      return violated(
        'A sorted list has an item between others that have one key.',
        { expected: `${present(item.key)} together`, actual: named(stranger) },
        ...exchanges,
      );
    }
    lastOf.set(item.key, index);
  }
  return lastOf.size > 1 && lastOf.size < items.length ? pass() : notObserved;
}

/**
 * The step on which each key stands, counted from 1, of the most that a weight of the keys can have, if `up` is sorted by it
 * upwards and `down` downwards: items with the same key weigh the same, and so do two that stand in the same order in both
 * lists, and all between them. All on one where nothing but a tie explains both.
 */
export function stepOfKeys(
  up: readonly SortedItem[],
  down: readonly SortedItem[],
): ReadonlyMap<unknown, number> {
  const items = unchangedIn(up.slice(0, COMPARED_ITEMS), down);
  // A class is a stretch of the upward list: for each item, the last one that weighs the same.
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
  const [up, down] = sortedBy((record) => record['size']);
  if (Math.max(...stepOfKeys(up.items, down.items).values()) > 1) return pass();
  return isSameInOnePlace(records.map(figuresOf)) ? notObserved : wrong;
}

/** Whether lists of figures have the same one at some place. */
function isSameInOnePlace(lists: readonly (readonly unknown[])[]): boolean {
  const [first = []] = lists;
  return first.some((figure, index) => lists.every((list) => list[index] === figure));
}
