/** One list read before and after the judged walk, and how far a walk reached. */

import type { Exchange } from '../../exchange/exchange.ts';
import type { WireRecord } from '../compute/records.ts';
import { expectThat, type Judgement, notObserved, violated } from '../judgement.ts';

/** One list, read before and after what is judged. */
export interface Bracket<T> {
  readonly before: readonly T[];
  readonly after: readonly T[];
}

/** The ids of a list in the order received, and the exchanges that brought them. */
export interface Seen {
  readonly ids: readonly string[];
  readonly exchanges: readonly Exchange[];
}

/** True when two sequences are the same, item by item. */
export function isSameSequence(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => Object.is(item, right[index]));
}

/** Judges against the list before, then against the list after. A violation counts only when the list did not change. */
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
 * How a walk ended: `last-page` on a null cursor, `limit` at the suite's own bound, `cursor-again` on a cursor that it had
 * already followed, `no-page` on a response that is not a page.
 */
export interface Extent extends Seen {
  readonly end: 'last-page' | 'limit' | 'cursor-again' | 'no-page';
}

/** A walk over a list, with the records that it brought. */
export interface Part extends Extent {
  readonly records: readonly WireRecord[];
}

/** The full list before and after, as walked. */
export interface Whole {
  readonly before: Extent;
  readonly after: Extent;
}

/** How many items are known of each list: of a list that was cut, only those that were read. */
export function reachOf(...lists: readonly Extent[]): number {
  return Math.min(...lists.filter(({ end }) => end === 'limit').map(({ ids }) => ids.length));
}

/** The whole list and a walk over it, both cut to the items that each could reach. */
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

/** The walk ended with a null cursor. A walk that the suite cut is too long only when it exceeds the whole list. */
export function walkEnds(walked: Extent, whole?: Whole): Judgement {
  const known = whole === undefined ? [] : [whole.before, whole.after];
  const isLonger =
    known.length > 0 &&
    known.every(({ ids, end }) => end === 'last-page' && walked.ids.length > ids.length);
  return endsBy(walked, isLonger);
}

/**
 * A part that selects nothing ends with a null cursor. A server that looks through its list page by page may need as many
 * empty pages as the whole list has, of one size; twice as many, one more, and another cursor is no end.
 */
export function nothingEnds(part: Extent, whole: Extent): Judgement {
  const isNothing = part.ids.length === 0 && whole.end === 'last-page';
  return endsBy(part, isNothing && part.exchanges.length > 2 * whole.exchanges.length + 1);
}

function endsBy(walked: Extent, isTooLong: boolean): Judgement {
  if (walked.end === 'no-page' || (walked.end === 'limit' && !isTooLong)) return notObserved;
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
 * A walk that the suite cut, and that came to one page twice, does not end. Pages are compared by their bodies without the
 * pagination (`pages`, in order). Empty pages are ignored: no page need be full, so several may be empty.
 */
export function comesRound(walked: Extent, pages: readonly string[]): Judgement {
  if (walked.end !== 'limit') return walkEnds(walked);
  const filled = pages.filter((page) => /\[[^\]]/u.test(page));
  const twice = filled.find((page, index) => filled.indexOf(page) !== index);
  if (twice === undefined) return notObserved;
  return violated(
    'A walk does not end: it returns to an earlier page.',
    { expected: 'a null cursor at the end', actual: twice },
    ...walked.exchanges.slice(-2),
  );
}

/** The ids in both lists, in the order of `before`, each once: a creation during a walk may make it repeat an id. */
export function standing({ before, after }: Bracket<string>): readonly string[] {
  const still = new Set(after);
  return Array.from(new Set(before)).filter((id) => still.has(id));
}

/**
 * The ids of the default list that windows can be compared with, in order. Of a list that was cut, only the first half: at
 * the cut it is open which of several instances created together are on the page. A stretch whose order changed between the
 * reads is such a group, and is left out when it reaches the cut.
 */
export function settledOrder({ before, after }: Whole): readonly string[] {
  const order = standing({ before: before.ids, after: after.ids });
  if (before.end === 'last-page' && after.end === 'last-page') return order;
  const other = standing({ before: after.ids, after: before.ids });
  const half = order.slice(0, Math.ceil(order.length / 2));
  return half.slice(0, endsOfStretches(half, other).lastIndexOf(true) + 1);
}

/** For each index whether both lists have the same items up to it, which ends a shuffled stretch. */
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
 * The items of a walk that come once and are also in the lists `before` and `after`; all items when those two lists have
 * the same ones. An item that appears between two pages pushes later items on, so that one comes again on the next page,
 * perhaps after items that it precedes.
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
