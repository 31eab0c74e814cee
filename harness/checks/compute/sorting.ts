/** Sorted lists: each direction for itself, and one against the other. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, held, vacuous, violated } from '../judgement.ts';
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

interface Pair {
  readonly earlier: SortedItem;
  readonly later: SortedItem;
}

function* pairsOf(items: readonly SortedItem[]): Generator<Pair> {
  const compared = items.slice(0, COMPARED_ITEMS);
  for (const [index, earlier] of compared.entries()) {
    for (const later of compared.slice(index + 1)) yield { earlier, later };
  }
}

/**
 * A list is in order when no pair of its items stands the wrong way round. Pairs whose order is a tie or open
 * say nothing; a list without any other pair is vacuous.
 */
export function inOrder(
  list: SortedList,
  direction: SortDirection,
  compare: CompareKeys,
): Judgement {
  const wanted = direction === 'ASC' ? -1 : 1;
  let seen = 0;
  for (const { earlier, later } of pairsOf(list.items)) {
    const order = compare(earlier.key, later.key);
    if (order === 0) continue;
    seen += 1;
    if (order !== wanted) {
      return violated(
        `A list sorted ${direction} has two items the wrong way round.`,
        {
          expected: `${present(later)} before ${present(earlier)}`,
          actual: `${present(earlier)} first`,
        },
        ...list.exchanges,
      );
    }
  }
  return seen === 0 ? vacuous : held();
}

function present({ id, key }: SortedItem): string {
  return `${JSON.stringify(key) ?? 'nothing'} (${id})`;
}

/** Letters and digits alone, without case and accents. */
function bare(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

const lenient = new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: true });

/** Whether some collation may take two keys for the same. */
function mayTie(left: unknown, right: unknown): boolean {
  if (typeof left !== 'string' || typeof right !== 'string') return Object.is(left, right);
  return bare(left) === bare(right) || lenient.compare(left, right) === 0;
}

/**
 * One direction is the reverse of the other up to ties, whatever the order is. Two items in the same order
 * in both lists are a violation, unless they may tie, or one of them changed its key between the two reads.
 */
export function opposite(ascending: SortedList, descending: SortedList): Judgement {
  const place = new Map(descending.items.map((item, index) => [item.id, { index, key: item.key }]));
  let seen = 0;
  for (const { earlier, later } of pairsOf(ascending.items)) {
    const [first, second] = [place.get(earlier.id), place.get(later.id)];
    if (first === undefined || second === undefined) continue;
    if (!Object.is(first.key, earlier.key) || !Object.is(second.key, later.key)) continue;
    if (earlier.id === later.id || mayTie(earlier.key, later.key)) continue;
    seen += 1;
    if (first.index < second.index) {
      return violated(
        'Two items stand in the same order in both directions.',
        {
          expected: 'one direction the reverse of the other',
          actual: `${present(earlier)} before ${present(later)} in both`,
        },
        ...ascending.exchanges,
        ...descending.exchanges,
      );
    }
  }
  return seen === 0 ? vacuous : held();
}
