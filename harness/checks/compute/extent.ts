/** How far walks reached. A walk that our own bound ended is compared as far as it went. */

import { type Judgement, expectThat, notObserved, violated } from '../judgement.ts';
import type { Bracket, Seen } from './bracket.ts';

/**
 * How a walk ended: `last-page` on a null cursor, `limit` at our own bound, `cursor-again` on a cursor
 * that it had already followed, `no-page` on an answer that is no page.
 */
export interface Extent extends Seen {
  readonly end: 'last-page' | 'limit' | 'cursor-again' | 'no-page';
}

/** The full list before and after, as it was walked. */
export interface Whole {
  readonly before: Extent;
  readonly after: Extent;
}

/** The whole list and a walk over it, both cut to what the other could reach. */
export function inReach(
  { before, after }: Whole,
  walked: Extent,
): { readonly bracket: Bracket<string>; readonly walk: Seen } {
  const reach = walked.end === 'limit' ? walked.ids.length : Number.POSITIVE_INFINITY;
  const limited = [before, after].filter(({ end }) => end === 'limit');
  const known = Math.min(reach, ...limited.map(({ ids }) => ids.length));
  return {
    bracket: { before: before.ids.slice(0, known), after: after.ids.slice(0, known) },
    walk: {
      ids: walked.ids.slice(0, known),
      exchanges: walked.exchanges,
    },
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
 * everything in its body but the pagination; `pages` are those bodies, in order.
 */
export function comesRound(walked: Extent, pages: readonly string[]): Judgement {
  if (walked.end !== 'limit') return walkEnds(walked);
  const twice = pages.find((page, index) => pages.indexOf(page) !== index);
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
  const ahead = new Set<string>();
  let settled = 0;
  for (const [index, id] of half.entries()) {
    for (const one of [id, other[index] ?? '']) if (!ahead.delete(one)) ahead.add(one);
    if (ahead.size === 0) settled = index + 1;
  }
  return half.slice(0, settled);
}
