/** Walks, windows and parts of a list against the whole list. Empty lists prove nothing and are not observed. */

import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { type Bracket, type Seen, bracketed, isSameSequence } from './bracket.ts';
import { firstRepeat } from './records.ts';

function summary(ids: readonly string[]): string {
  const shown = ids.slice(0, 20).join(', ');
  return `${ids.length} items: ${shown}${ids.length > 20 ? ', …' : ''}`;
}

/** Where two sequences part, for a person: the lists may have hundreds of items. */
function parting(
  expected: readonly string[],
  actual: readonly string[],
): { readonly expected: string; readonly actual: string } {
  const index = expected.findIndex((id, position) => actual[position] !== id);
  const at = index === -1 ? expected.length : index;
  const shown = (ids: readonly string[], past: string): string =>
    `${ids.length} items; at position ${at + 1}: ${ids[at] ?? past}`;
  return { expected: shown(expected, 'the end'), actual: shown(actual, 'nothing') };
}

/** The walk gives the same items in the same order as the whole list. */
export function sameSequence(whole: Bracket<string>, walk: Seen): Judgement {
  if (whole.before.length === 0 && walk.ids.length === 0) return notObserved;
  return bracketed(whole, (ids) =>
    expectThat(
      isSameSequence(ids, walk.ids),
      'Another way to walk the list gave other items, or another order.',
      parting(ids, walk.ids),
      ...walk.exchanges,
    ),
  );
}

/** No item comes twice in a walk. Only a list that stood still can tell: one that grew may push items on. */
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

/** Every item that is there before and after a walk comes up in it. */
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

/** The part is the beginning of the whole list; an empty part says nothing. */
export function isPrefix(whole: Bracket<string>, part: Seen): Judgement {
  if (part.ids.length === 0) return notObserved;
  return bracketed(whole, (ids) =>
    expectThat(
      isSameSequence(ids.slice(0, part.ids.length), part.ids),
      'The part is not the beginning of the list.',
      parting(ids.slice(0, part.ids.length), part.ids),
      ...part.exchanges,
    ),
  );
}

/** The part is the end of the whole list; an empty part says nothing. */
export function isSuffix(whole: Bracket<string>, part: Seen): Judgement {
  if (part.ids.length === 0) return notObserved;
  return bracketed(whole, (ids) => {
    const end = ids.slice(-part.ids.length);
    return expectThat(
      isSameSequence(end, part.ids),
      'The part is not the end of the list.',
      parting(end, part.ids),
      ...part.exchanges,
    );
  });
}

/** The parts together leave nothing of the whole list out. */
export function coversWhole(whole: Bracket<string>, ...parts: readonly Seen[]): Judgement {
  return withoutGaps(whole, {
    ids: parts.flatMap((part) => part.ids),
    exchanges: parts.flatMap((part) => part.exchanges),
  });
}

/** The same items, in whatever order. */
export function sameItems(whole: Bracket<string>, other: Seen): Judgement {
  const sorted = {
    before: whole.before.toSorted(),
    after: whole.after.toSorted(),
  };
  return sameSequence(sorted, { ...other, ids: other.ids.toSorted() });
}

/**
 * Two parts have no item in common. `again` is the first part, read once more after the second: what a
 * change in between moved from one to the other is no violation.
 */
export function disjoint(first: Seen, second: Seen, again: Seen): Judgement {
  if (first.ids.length === 0 || second.ids.length === 0) return notObserved;
  const others = new Set(second.ids);
  const still = new Set(again.ids);
  const shared = first.ids.find((id) => others.has(id) && still.has(id));
  return expectThat(
    shared === undefined,
    'One item stands in two parts that exclude each other.',
    { expected: 'in one of them', actual: `${shared} in both` },
    ...first.exchanges,
    ...second.exchanges,
  );
}
