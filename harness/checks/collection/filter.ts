/** A filtered list against the whole list, filtered by us. */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import {
  type Extent,
  inReach,
  isSameSequence,
  type Part,
  standing,
  type Whole,
} from './bracket.ts';
import { sameItems } from './walk.ts';
import { firstRepeat, idsOf, textOf, type WireRecord } from '../compute/records.ts';
import { answered } from '../compute/answers.ts';

/** What a query gave, and the full list before and after. */
export interface Selection {
  readonly before: Part;
  readonly after: Part;
  readonly part: Part;
  /** Whether the query means this record. */
  readonly matches: (record: WireRecord) => boolean;
  /** The query in words, as in `status=running`. */
  readonly filter: string;
  /** False where the query may show what the full list does not, such as terminated instances. */
  readonly mustBeComplete?: boolean;
  /** True for a list in another order than the default: cut by our own bound, it may lack what the whole list has. */
  readonly sorted?: boolean;
}

/** Every record that a query gave is one that it means. */
function onlyMatching({ part, matches, filter }: Selection): Judgement {
  const stray = part.records.find((record) => !matches(record));
  if (stray === undefined) return pass(part.records.length);
  return violated(
    `The filter ${filter} returned an item that does not match it.`,
    { expected: filter, actual: filteredMembers(stray, filter) },
    ...part.exchanges,
  );
}

/** The members that the filter names; all of them where it names none. */
function filteredMembers(record: WireRecord, filter: string): object {
  const named = Object.entries(record).filter(([name]) => filter.includes(name));
  return named.length === 0 ? record : Object.fromEntries(named);
}

/**
 * What a query gave is the full list filtered by us. Only records that it means both before and after have to be in it. While the
 * list did not stand still, one that it lacks is a violation only where one page showed all, since nothing can have slipped from
 * page to page, and the record did not start anew in between; what else it lacks, or has beyond both lists, tells nothing then,
 * and neither does the rest that is right.
 */
function filteredEquals(selection: Selection): Judgement {
  const { part, matches, filter, mustBeComplete = true, sorted = false } = selection;
  const [before, after] = [selection.before.records, selection.after.records];
  const ids = idsOf(before);
  const starts = new Map(ids.map((id, index) => [id, before[index]?.['started_at']]));
  // An instance that was stopped and started in between was not meant all the time.
  const isResting = (record: WireRecord): boolean =>
    Object.is(starts.get(idsOf([record])[0] ?? ''), record['started_at']);
  const stoodStill = isSameSequence(ids, idsOf(after));
  const wanted = new Set(idsOf(before.filter(matches)));
  const stillWanted = idsOf(
    after.filter((record) => matches(record) && (stoodStill || isResting(record))),
  );
  const got = new Set(idsOf(part.records));
  const missing = stillWanted.filter((id) => wanted.has(id) && !got.has(id));
  const onOnePage = part.end === 'last-page' && part.exchanges.length === 1;
  if (missing.length > 0 && !stoodStill && !onOnePage)
    return violatedOrUnobserved(onlyMatching(selection));
  const complete = expectThat(
    missing.length === 0,
    `The filter ${filter} left out what it means.`,
    {
      expected: `${stillWanted.length} items`,
      actual: `without ${missing.slice(0, 10).join(', ')}`,
    },
    ...part.exchanges,
  );
  const full = new Set([...ids, ...idsOf(after)]);
  const areWhole = [selection.before, selection.after].every(({ end }) => end === 'last-page');
  const extra = areWhole && mustBeComplete ? [...got].filter((id) => !full.has(id)) : [];
  const within = stoodStill
    ? expectThat(
        extra.length === 0,
        `The filter ${filter} shows what the full list does not.`,
        { expected: 'a part of the full list', actual: extra.slice(0, 10).join(', ') },
        ...part.exchanges,
      )
    : notObserved;
  const meansTheSame = stoodStill && isSameSequence([...wanted], stillWanted);
  // Of several pages in the default order nothing may come twice while nothing moves.
  const once = part.exchanges.length > 1 && !sorted ? eachOnce(selection) : notObserved;
  const all = [onlyMatching(selection), complete, within];
  // An item that comes twice, or is in neither list, may have been moved by what else changed: a list at rest has to tell.
  const isInconclusive = !stoodStill && extra.length > 0;
  const isConclusive = meansTheSame || once.violations.length === 0;
  return isConclusive && !isInconclusive ? together(...all, once) : violatedOrUnobserved(...all);
}

/** The first judgement that is wrong. What is right besides must not cover what cannot be told. */
function violatedOrUnobserved(...judgements: readonly Judgement[]): Judgement {
  return judgements.find(({ violations }) => violations.length > 0) ?? notObserved;
}

function eachOnce({ part, filter }: Selection): Judgement {
  const twice = firstRepeat(idsOf(part.records));
  return expectThat(
    twice === undefined,
    `A walk over the filter ${filter} gave an item twice.`,
    { expected: 'each item once', actual: `${twice} twice` },
    ...part.exchanges,
  );
}

/** A violation when some answer on the way was no page; otherwise undefined. `filter` is the query in words. */
export function notAnswered(part: Part, filter: string): Judgement | undefined {
  const last = part.exchanges.at(-1);
  if (part.end !== 'no-page' || last === undefined) return undefined;
  return violated(
    `The query ${filter} was not answered with a page.`,
    { expected: 'a page', actual: answered(last) },
    last,
  );
}

/** A walk in parts gives the items that one page gives, as far as it came. */
export function sameInParts(whole: Whole, walked: Part, filter: string): Judgement {
  const { bracket, walk } = inReach(whole, walked);
  return notAnswered(walked, filter) ?? sameItems(bracket, walk);
}

/**
 * The query gives exactly what it means of the whole list. Where nothing is meant and nothing came, nothing was
 * seen: a filter that always gives an empty page would look the same.
 */
export function selects(selection: Selection): Judgement {
  const { before, part, matches, filter, sorted = false } = selection;
  const broken = notAnswered(part, filter);
  if (broken !== undefined) return broken;
  if (part.records.length === 0 && !before.records.some(matches)) return notObserved;
  // Without a list to hold it against, only what came is judged: our own bound may have come before the end of a list
  // that grew since the size of its pages was chosen.
  const isCut = part.end === 'limit' && (sorted || part.ids.length < before.ids.length);
  return isCut || before.records.length === 0 ? onlyMatching(selection) : filteredEquals(selection);
}

/**
 * The query finds everything that it means, of what stood in the list and was meant before and after. Of several pages
 * only those of a list that stood still tell: what comes or goes meanwhile may move others from one to the next.
 */
export function findsAll({ before, after, part, matches, filter }: Selection): Judgement {
  const broken = notAnswered(part, filter);
  if (broken !== undefined) return broken;
  if (part.end === 'limit') return notObserved;
  const stoodStill = isSameSequence(before.ids, after.ids);
  if (part.exchanges.length > 1 && !stoodStill) return notObserved;
  const meant = ({ ids, records }: Part) => ids.filter((_, index) => matches(records[index] ?? {}));
  const still = new Set(meant(after));
  const sought = meant(before).filter((id) => still.has(id));
  if (sought.length === 0) return notObserved;
  const found = new Set(part.ids);
  const missing = sought.filter((id) => !found.has(id));
  return expectThat(
    missing.length === 0,
    `The filter ${filter} does not find all that it names.`,
    {
      expected: `${sought.length} items`,
      actual: `${part.ids.length} items, without ${missing.slice(0, 5).join(', ')}`,
    },
    ...part.exchanges,
  );
}

/** Nothing is selected; only a list that has something can show it. A refusal selects nothing either. */
export function selectsNone(whole: Part, part: Part, filter: string): Judgement {
  if (whole.ids.length === 0) return notObserved;
  return expectThat(
    part.records.length === 0,
    `The filter ${filter} selected something.`,
    {
      expected: 'no items',
      actual: `${part.records.length} items: ${part.ids.slice(0, 5).join(', ')}`,
    },
    ...part.exchanges,
  );
}

/** The ids of the whole list that are in the part as well, in the order of each. */
export function commonOrder(whole: Pick<Part, 'ids'>, part: Pick<Part, 'ids'>) {
  const [known, found] = [new Set(whole.ids), new Set(part.ids)];
  return {
    expected: whole.ids.filter((id) => found.has(id)),
    actual: [...found].filter((id) => known.has(id)),
  };
}

/** The part comes in the order of the list that it is of, read before and after; `isTied` when dates cannot tell. */
export function inListOrder(
  { before, after }: { readonly before: Part; readonly after: Part },
  part: Part,
  isTied: boolean,
): Judgement {
  const bracket = { before: before.ids, after: after.ids };
  const still = standing(bracket);
  const other = standing({ before: after.ids, after: before.ids });
  const { expected, actual } = commonOrder({ ids: still }, part);
  if (expected.length < 2 || isTied || !isSameSequence(still, other)) return notObserved;
  const first = expected.findIndex((id, index) => actual[index] !== id);
  return expectThat(
    first === -1,
    'A filtered list is in another order than the default list.',
    { expected: `${expected[first]} at place ${first + 1}`, actual: actual[first] },
    ...part.exchanges,
    ...before.exchanges.slice(0, 1),
  );
}

/** `shown` is an accepted request for the instance: it exists, and is the caller's. A list that was cut tells nothing. */
export function isListed(id: string, list: Extent, shown: Exchange): Judgement {
  if (list.ids.includes(id.toLowerCase())) return pass();
  if (list.end !== 'last-page') return notObserved;
  return violated(
    'The list does not hold an instance that the caller can act on.',
    { expected: id, actual: `${list.ids.length} other instances` },
    ...list.exchanges.slice(-1),
    shown,
  );
}

/** Whether terminated instances stay listed is open. */
const gone: ReadonlySet<string | undefined> = new Set(['TERMINATING', 'TERMINATED']);

/**
 * What a filter selected before the whole list was read, and selects after it, was there in between, whatever else came
 * and went. A walk over many pages may miss an item that slips from one to the other: only what all walks lack counts.
 */
export function listedBetween(
  first: Part,
  wholes: readonly Part[],
  later: Part,
  filter: string,
): Judgement {
  const broken = notAnswered(first, filter) ?? notAnswered(later, filter);
  if (broken !== undefined) return broken;
  if (wholes.length === 0 || wholes.some(({ end }) => end !== 'last-page')) return notObserved;
  const before = new Set(first.ids);
  const live = idsOf(later.records.filter((record) => !gone.has(textOf(record, 'status'))));
  const stood = live.filter((id) => before.has(id));
  if (stood.length === 0) return notObserved;
  const listed = new Set(wholes.flatMap(({ ids }) => ids));
  const hidden = stood.filter((id) => !listed.has(id));
  if (hidden.length === 0) return pass(stood.length);
  return violated(
    `The filter ${filter} shows what the full list does not.`,
    { expected: 'a part of the full list', actual: hidden.slice(0, 10).join(', ') },
    ...later.exchanges,
    ...wholes.flatMap(({ exchanges }) => exchanges),
  );
}
