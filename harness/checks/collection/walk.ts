/** Walks: every walk gives the same items in the same order, each once, and ends. */

import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import {
  type Bracket,
  bracketed,
  endsOfStretches,
  type Extent,
  isSameSequence,
  reachOf,
  type Seen,
  type Whole,
} from './bracket.ts';
import { firstRepeat, idsOf, instancesOf } from '../compute/records.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { answered, isInformative } from '../compute/answers.ts';
import { nextCursor } from './bounds.ts';

function summary(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).join(', ');
  return `${ids.length} items: ${shown}${ids.length > 5 ? ', …' : ''}`;
}

/** The first position at which two sequences differ; the lists may have hundreds of items. */
function parting(expected: readonly string[], actual: readonly string[]) {
  const index = expected.findIndex((id, position) => actual[position] !== id);
  const at = index === -1 ? expected.length : index;
  const shown = (ids: readonly string[], past: string): string =>
    `${ids.length} items; at position ${at + 1}: ${ids[at] ?? past}`;
  return { expected: shown(expected, 'the end'), actual: shown(actual, 'nothing') };
}

/** The query of the first request of a walk, as in `size=7`. */
function wayOf({ exchanges: [first] }: Seen): string {
  return first?.request.query || 'without a parameter';
}

/** The walk gives the same items in the same order as the whole list. */
export function sameSequence(whole: Bracket<string>, walk: Seen): Judgement {
  if (whole.before.length === 0 && walk.ids.length === 0) return notObserved;
  return bracketed(whole, (ids) =>
    expectThat(
      isSameSequence(ids, walk.ids),
      `Paging in another way (${wayOf(walk)}) skipped, added or reordered items.`,
      parting(ids, walk.ids),
      ...walk.exchanges,
    ),
  );
}

/** No item comes twice in a walk. Judged only where the list did not change: growth may move items to a later page. */
export function withoutRepeats(whole: Bracket<string>, walk: Seen): Judgement {
  if (walk.ids.length < 2) return notObserved;
  const twice = firstRepeat(walk.ids);
  return bracketed(whole, () =>
    expectThat(
      twice === undefined,
      'An item came twice in one walk.',
      { expected: 'each item once', actual: `${twice} twice` },
      ...walk.exchanges,
    ),
  );
}

/** Every item that is in the list before and after a walk appears in the walk. */
export function withoutGaps(whole: Bracket<string>, walk: Seen): Judgement {
  if (whole.before.length === 0) return notObserved;
  const met = new Set(walk.ids);
  return bracketed(whole, (ids) => {
    const missed = ids.filter((id) => !met.has(id));
    return expectThat(
      missed.length === 0,
      'A walk left out what is in the list.',
      { expected: `all ${ids.length} items`, actual: `without ${summary(missed)}` },
      ...walk.exchanges,
    );
  });
}

/** The same items in any order. */
export function sameItems(whole: Bracket<string>, other: Seen): Judgement {
  const sorted = { before: whole.before.toSorted(), after: whole.after.toSorted() };
  return sameSequence(sorted, { ...other, ids: other.ids.toSorted() });
}

/** Two parts have no item in common. `reread` is the first part, read again to exclude items that moved in between. */
export function disjoint(first: Seen, second: Seen, reread: Seen): Judgement {
  if (first.ids.length === 0 || second.ids.length === 0) return notObserved;
  const others = new Set(second.ids);
  const still = new Set(reread.ids);
  const shared = first.ids.find((id) => others.has(id) && still.has(id));
  return expectThat(
    shared === undefined,
    'One item stands in two parts that exclude each other.',
    { expected: 'in one of them', actual: `${shared} in both` },
    ...first.exchanges,
    ...second.exchanges,
  );
}

function instanceIds(page: Exchange): readonly string[] | undefined {
  const records = instancesOf(page);
  return records === undefined ? undefined : idsOf(records);
}

/** One page as a list that was read no further. */
function pageOf(page: Exchange, ids: readonly string[]): Extent {
  return { ids, exchanges: [page], end: nextCursor(page) === null ? 'last-page' : 'limit' };
}

/** A cursor that is used again gives the same page, while the list does not change. */
export function samePage(
  whole: Bracket<string>,
  first: Exchange,
  reread: Exchange,
  idsIn: (page: Exchange) => readonly string[] | undefined = instanceIds,
): Judgement {
  if (!isInformative(first) || !isInformative(reread)) return notObserved;
  const [one, other] = [idsIn(first), idsIn(reread)];
  if (one === undefined || !isSameSequence(whole.before, whole.after)) return notObserved;
  const reach = reachOf(pageOf(first, one), pageOf(reread, other ?? []));
  // An empty page with a next cursor shows nothing about what another page held.
  if (other !== undefined && reach === 0) return notObserved;
  return expectThat(
    other !== undefined && isSameSequence(one.slice(0, reach), other.slice(0, reach)),
    'The same cursor, used again, gives something else.',
    {
      expected: one.slice(0, 10),
      actual: other === undefined ? answered(reread) : other.slice(0, 10),
    },
    reread,
    first,
  );
}

/** A list rarely changes between this many consecutive reads; if the items differ each time, the order is unstable. */
const MOVES_OF_AN_ORDER = 3;

/**
 * Consecutive reads of one list have one order. A change of the list may explain other items once, but not the same items
 * in another order, and not other items time and again. Items without ids (`names` is false) are told apart by their
 * whole content, which may have changed each time.
 */
export function stableOrder(reads: readonly Extent[], names = true): Judgement {
  const [first] = reads;
  if (first === undefined || reads.length < 2 || first.ids.length < 2) return notObserved;
  // Only as far as both reads reach, since a page with a next one need not be full. A single item has no order.
  const pairs = reads.slice(1).flatMap((after, index) => {
    const before = reads[index] ?? first;
    const reach = reachOf(before, after);
    const cut = (one: Seen): Seen => ({ ...one, ids: one.ids.slice(0, reach) });
    return reach < 2 ? [] : [{ before: cut(before), after: cut(after) }];
  });
  if (pairs.length === 0) return notObserved;
  const moved = pairs.filter(({ before, after }) => !isSameSequence(before.ids, after.ids));
  if (moved.length === 0) return pass();
  const turned = moved.find(({ before, after }) =>
    isSameSequence(before.ids.toSorted(), after.ids.toSorted()),
  );
  const isDrawn = names && moved.length >= MOVES_OF_AN_ORDER;
  const shown = turned ?? (isDrawn ? moved[0] : undefined);
  if (shown === undefined) return notObserved;
  return violated(
    'Two reads of one list differ in order.',
    { expected: shown.before.ids.slice(0, 5), actual: shown.after.ids.slice(0, 5) },
    ...shown.before.exchanges,
    ...shown.after.exchanges,
  );
}

/** A fresh cursor is not refused as malformed or unknown; other error responses may have other causes. */
export function leadsOn(page: Exchange, following: Exchange): Judgement {
  const status = following.response?.status ?? 0;
  if (![200, 400, 404].includes(status)) return notObserved;
  return expectThat(
    status === 200,
    'A cursor that a page gave is refused.',
    { expected: 'a page', actual: answered(following) },
    following,
    page,
  );
}

/** A response shows no instance of a known foreign account, nor one outside the caller's own complete list. */
export function nothingForeign(
  { before, after }: Whole,
  answer: Exchange,
  foreign: readonly string[],
): Judgement {
  if (!isInformative(answer)) return notObserved;
  const shown = idsOf(instancesOf(answer) ?? []);
  const [own, others] = [new Set([...before.ids, ...after.ids]), new Set(foreign)];
  const isWhole = before.end === 'last-page' && after.end === 'last-page';
  const stranger = shown.find((id) => others.has(id) || (isWhole && !own.has(id)));
  return expectThat(
    stranger === undefined,
    'An answer shows an instance of somebody else.',
    { expected: 'own instances or none', actual: stranger || 'an instance without an id' },
    answer,
  );
}

/**
 * Pairs of ids that changed places between two lists: `first` is before `second` in the expected list and after it in the
 * actual one. Gives the first pair of each shuffled stretch, at most `most` pairs, and none when the order is the same.
 * Undefined when the lists do not have the same ids, each once, since the order is then not comparable.
 */
export function inversions(
  expected: readonly string[],
  actual: readonly string[],
  most: number,
): readonly { readonly first: string; readonly second: string }[] | undefined {
  const known = new Set(expected);
  const met = new Set(actual);
  if (known.size !== expected.length || met.size !== actual.length) return undefined;
  if (known.size !== met.size || !actual.every((id) => known.has(id))) return undefined;
  const ends = endsOfStretches(expected, actual);
  const found = expected.flatMap((first, index) => {
    const second = actual[index] ?? first;
    return first !== second && (ends[index - 1] ?? true) ? [{ first, second }] : [];
  });
  // Takes stretches from all over the lists, so that ties in one place do not hide a fault in another.
  const step = Math.max(1, found.length / most);
  return found.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** The ids that were ahead of `id` in a list and are behind it in a later one. */
export function overtaken(
  id: string,
  before: readonly string[],
  after: readonly string[],
): readonly string[] {
  const [from, to] = [before.indexOf(id), after.indexOf(id)];
  if (from === -1 || to === -1) return [];
  const behind = new Set(after.slice(to + 1));
  return before.slice(0, from).filter((other) => behind.has(other));
}

/** An instance was moved ahead of a newer one. */
export function movedAhead(
  id: string,
  other: string,
  since: string,
  ...exchanges: readonly Exchange[]
): Judgement {
  return violated(
    `An instance changed its place in the default order ${since}.`,
    { expected: `${other} before ${id}, as it was`, actual: `${id} before ${other}` },
    ...exchanges,
  );
}
