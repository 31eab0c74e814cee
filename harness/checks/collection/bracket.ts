/** The same list read before and after what is judged, and how far a walk reached. */

import type { Exchange } from '../../exchange/exchange.ts';
import type { WireRecord } from '../compute/records.ts';
import { expectThat, type Judgement, notObserved, violated } from '../judgement.ts';

/** The same list, read before and after what is judged. */
export interface Bracket<T> {
  readonly before: readonly T[];
  readonly after: readonly T[];
}

/** A list of ids in the order in which it came, and the exchanges that brought it. */
export interface Seen {
  readonly ids: readonly string[];
  readonly exchanges: readonly Exchange[];
}

/** True when two sequences are the same, item by item. */
export function isSameSequence(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => Object.is(item, right[index]));
}

/**
 * Judges against the list before and, when that fails, against the list after. A violation counts only while
 * the list stood still: when before and after differ, something came or went, and nothing can be said.
 */
export function bracketed<T>(
  bracket: Bracket<T>,
  judge: (whole: readonly T[]) => Judgement,
): Judgement {
  const before = judge(bracket.before);
  if (before.violations.length === 0) return before;
  if (isSameSequence(bracket.before, bracket.after)) return before;
  const after = judge(bracket.after);
  return after.violations.length === 0 ? after : notObserved;
}

/**
 * How a walk ended: `last-page` on a null cursor, `limit` at our own bound, `cursor-again` on a cursor
 * that it had already followed, `no-page` on an answer that is no page.
 */
export interface Extent extends Seen {
  readonly end: 'last-page' | 'limit' | 'cursor-again' | 'no-page';
}

/** A walk over a list, with what it brought. */
export interface Part extends Extent {
  readonly records: readonly WireRecord[];
}

/** The full list before and after, as it was walked. */
export interface Whole {
  readonly before: Extent;
  readonly after: Extent;
}

/** How many items are known of each of these lists: of one that leads on, no more than were read. */
export function reachOf(...lists: readonly Extent[]): number {
  return Math.min(...lists.filter(({ end }) => end === 'limit').map(({ ids }) => ids.length));
}

/** The whole list and a walk over it, both cut to what the other could reach. */
export function inReach(
  { before, after }: Whole,
  walked: Extent,
): { readonly bracket: Bracket<string>; readonly walk: Seen } {
  const known = reachOf(walked, before, after);
  return {
    bracket: { before: before.ids.slice(0, known), after: after.ids.slice(0, known) },
    walk: { ...walked, ids: walked.ids.slice(0, known) },
  };
}

/**
 * The walk came to a null cursor. Where our own bound ended it, it is too long only when it went on after it
 * could have given the whole list, read before and after.
 */
export function walkEnds(walked: Extent, whole?: Whole): Judgement {
  if (walked.end === 'no-page') return notObserved;
  const known = whole === undefined ? [] : [whole.before, whole.after];
  const isLonger =
    known.length > 0 &&
    known.every(({ ids, end }) => end === 'last-page' && walked.ids.length > ids.length);
  if (walked.end === 'limit' && !isLonger) return notObserved;
  return expectThat(
    walked.end === 'last-page',
    'A walk does not end: it goes on where it has been before.',
    {
      expected: 'a null cursor at the end',
      actual: `another cursor after ${walked.exchanges.length} pages`,
    },
    ...walked.exchanges.slice(-2),
  );
}

/**
 * A walk of which our own bound made an end, and which came to one page twice, does not end. A page is told by
 * everything in its body but the pagination; `pages` are those bodies, in order. One that holds nothing is at no place: where
 * no page need be full, several may be empty.
 */
export function comesRound(walked: Extent, pages: readonly string[]): Judgement {
  if (walked.end !== 'limit') return walkEnds(walked);
  const filled = pages.filter((page) => /\[[^\]]/u.test(page));
  const twice = filled.find((page, index) => filled.indexOf(page) !== index);
  if (twice === undefined) return notObserved;
  return violated(
    'A walk does not end: it comes to the same page again.',
    { expected: 'a null cursor at the end', actual: twice },
    ...walked.exchanges.slice(-2),
  );
}

/**
 * The ids that are in the list before and after, in the order in which both have them. Each once: what is created
 * while a list is walked by cursors that count items pushes some on to a second page.
 */
export function standing({ before, after }: Bracket<string>): readonly string[] {
  const still = new Set(after);
  return Array.from(new Set(before)).filter((id) => still.has(id));
}

/**
 * The ids of the default list that windows can be held against, in their order. Of a list that was cut, the first
 * half: at the cut it is open which of several instances created together are still on the page. A stretch in which
 * the order changed from one read to the other is such a group, and is left out when it reaches the cut.
 */
export function settledOrder({ before, after }: Whole): readonly string[] {
  const order = standing({ before: before.ids, after: after.ids });
  if (before.end === 'last-page' && after.end === 'last-page') return order;
  const other = standing({ before: after.ids, after: before.ids });
  const half = order.slice(0, Math.ceil(order.length / 2));
  return half.slice(0, endsOfStretches(half, other).lastIndexOf(true) + 1);
}

/** For each place of a list whether another one has had the same items up to it: a stretch that was shuffled ends there. */
export function endsOfStretches(
  list: readonly string[],
  other: readonly string[],
): readonly boolean[] {
  const ahead = new Set<string>();
  return list.map((id, index) => {
    for (const one of [id, other[index] ?? '']) if (!ahead.delete(one)) ahead.add(one);
    return ahead.size === 0;
  });
}

/**
 * The items of a walk that the lists read `before` and `after` it have as well, and that it has once; all of them where
 * these two have the same items. What appears between two pages pushes the items after it on, so that one comes again
 * on the next page, and may come there after those that stand behind it.
 */
export function steadyItems(walk: Part, before: Part, after: Part): Part {
  const [first, last] = [new Set(before.ids), new Set(after.ids)];
  if (first.size === last.size && before.ids.every((id) => last.has(id))) return walk;
  const times = new Map<string, number>();
  for (const id of walk.ids) times.set(id, (times.get(id) ?? 0) + 1);
  const isSteady = (id: string): boolean => times.get(id) === 1 && first.has(id) && last.has(id);
  return {
    ...walk,
    ids: walk.ids.filter(isSteady),
    records: walk.records.filter((_, index) => isSteady(walk.ids[index] ?? '')),
  };
}
