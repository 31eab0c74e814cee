/** Sorted lists: each direction for itself, and one against the other. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, pass, present, notObserved, together, violated } from '../judgement.ts';
import type { CompareKeys } from './sort-key.ts';

export type SortDirection = 'ASC' | 'DESC';

/** An item of a sorted list: who it is, and the value that it was sorted by. */
export interface SortedItem {
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
    return order === wanted
      ? undefined
      : violated(
          `A list sorted ${direction} has two items the wrong way round.`,
          {
            expected: `${named(later)} before ${named(earlier)}`,
            actual: `${named(earlier)} first`,
          },
          ...list.exchanges,
        );
  });
  return wrong ?? (seen === 0 ? notObserved : pass());
}

function named({ id, key }: SortedItem): string {
  return `${present(key)} (${id})`;
}

/** Letters and digits alone, without case and accents. */
function bare(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
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
  return bare(left) === bare(right) || lenient.compare(left, right) === 0;
}

/**
 * One direction is the reverse of the other up to ties, whatever the order is. Two items in the same order
 * in both lists are a violation, unless they may tie, or one of them changed its key between the two reads.
 */
export function opposite(ascending: SortedList, descending: SortedList): Judgement {
  const places = new Map(
    descending.items.map((item, index) => [item.id, { index, key: item.key }]),
  );
  const unchanged = ascending.items.flatMap((item) => {
    const there = places.get(item.id);
    return there !== undefined && Object.is(there.key, item.key)
      ? [{ ...item, place: there.index }]
      : [];
  });
  let seen = 0;
  const wrong = firstOfPairs(unchanged, (earlier, later) => {
    if (earlier.id === later.id) return undefined;
    const isSame = earlier.place < later.place;
    // One pair that could have been wrong is enough, and whether two texts may tie is costly to tell.
    if (!isSame && seen > 0) return undefined;
    if (mayTie(earlier.key, later.key)) return undefined;
    seen += 1;
    return isSame
      ? violated(
          'Two items stand in the same order in both directions.',
          {
            expected: 'one direction the reverse of the other',
            actual: `${named(earlier)} before ${named(later)} in both`,
          },
          ...ascending.exchanges,
          ...descending.exchanges,
        )
      : undefined;
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
  for (const [place, item] of items.entries()) {
    if (isNothing(item.key)) continue;
    const stranger = items
      .slice((lastOf.get(item.key) ?? place) + 1, place)
      .find(({ key }) => !mayTie(key, item.key));
    if (stranger !== undefined) {
      return violated(
        'A sorted list has an item between others that have one key.',
        { expected: `${present(item.key)} together`, actual: named(stranger) },
        ...exchanges,
      );
    }
    lastOf.set(item.key, place);
  }
  return lastOf.size > 1 && lastOf.size < items.length ? pass() : notObserved;
}
