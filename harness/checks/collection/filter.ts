/** A filtered list, compared with the whole list filtered by the suite. */

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
import { firstRepeat, idOf, idsOf, textOf, type WireRecord } from '../compute/records.ts';
import { answered } from '../compute/answers.ts';
import { isDying } from '../compute/lifecycle.ts';

/** The result of a query, and the full list before and after it. */
export interface Selection {
  readonly before: Part;
  readonly after: Part;
  readonly part: Part;
  readonly matches: (record: WireRecord) => boolean;
  /** The query as text, as in `status=running`. */
  readonly filter: string;
  /** False where the query may show items that the full list lacks, such as terminated instances. */
  readonly mustBeComplete?: boolean;
  /** True for a list not in the default order: cut at the suite's own bound, it may lack items of the whole list. */
  readonly sorted?: boolean;
  /** True where `matches` needs nothing but the record: an item that does not match is wrong by itself. */
  readonly byRecord?: true;
}

function onlyMatching({ part, matches, filter, byRecord }: Selection): Judgement {
  const stray = part.records.find((record) => !matches(record));
  if (stray === undefined) return pass(part.records.length);
  const judgement = violated(
    `The filter ${filter} returned an item that does not match it.`,
    { expected: filter, actual: filteredMembers(stray, filter) },
    ...part.exchanges,
  );
  const violations = judgement.violations.map((one) => ({ ...one, byItself: true as const }));
  return byRecord === true ? { ...judgement, violations } : judgement;
}

/** The id and the members that the filter names; all members when it names none. */
function filteredMembers(record: WireRecord, filter: string): object {
  const named = Object.entries(record).filter(([name]) => filter.includes(name));
  const { instance_id: id } = record;
  return named.length === 0 ? record : { instance_id: id, ...Object.fromEntries(named) };
}

/**
 * The result equals the full list filtered by the suite. Only records that match both before and after are required. When
 * the list changed meanwhile, a missing record is a violation only on a single page, where nothing can slip between pages,
 * and only if its instance was not started again in between. Other missing or extra records are then not judged, and a
 * result without violations counts as not observed.
 */
function filteredEquals(selection: Selection): Judgement {
  const { part, matches, filter, mustBeComplete = true, sorted = false } = selection;
  const [before, after] = [selection.before.records, selection.after.records];
  const ids = idsOf(before);
  const starts = new Map(ids.map((id, index) => [id, before[index]?.['started_at']]));
  // An instance that was stopped and started in between did not match all the time.
  const isResting = (record: WireRecord): boolean =>
    Object.is(starts.get(idOf(record)), record['started_at']);
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
  // In a list at rest, several pages in the default order repeat no item.
  const once = part.exchanges.length > 1 && !sorted ? eachOnce(selection) : notObserved;
  const all = [onlyMatching(selection), complete, within];
  // A change of the list may also move items, so repeats and unknown items are judged only in a list at rest.
  const isInconclusive = !stoodStill && extra.length > 0;
  const isConclusive = meansTheSame || once.violations.length === 0;
  return isConclusive && !isInconclusive ? together(...all, once) : violatedOrUnobserved(...all);
}

/** The first violation, if any. Partial passes do not count: they would hide that the rest could not be judged. */
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

/** A violation when some response of the walk was not a page; otherwise undefined. `filter` is the query as text. */
export function notAnswered(part: Part, filter: string): Judgement | undefined {
  const last = part.exchanges.at(-1);
  if (part.end !== 'no-page' || last === undefined) return undefined;
  return violated(
    `The query ${filter} was not answered with a page.`,
    { expected: 'a page', actual: answered(last) },
    last,
  );
}

/** A walk in several pages gives the items of a single page, as far as it went. */
export function sameInParts(whole: Whole, walked: Part, filter: string): Judgement {
  const { bracket, walk } = inReach(whole, walked);
  return notAnswered(walked, filter) ?? sameItems(bracket, walk);
}

/**
 * The query gives exactly the matching items of the whole list. Nothing is observed when nothing matches and nothing came,
 * since a filter that always gives an empty page looks the same.
 */
export function selects(selection: Selection): Judgement {
  const { before, part, matches, filter } = selection;
  const broken = notAnswered(part, filter);
  if (broken !== undefined) return broken;
  if (part.records.length === 0 && !before.records.some(matches)) return notObserved;
  // Without a list to compare with, only the received records are judged.
  return isCut(selection) || before.records.length === 0
    ? onlyMatching(selection)
    : filteredEquals(selection);
}

/**
 * Whether the suite's own bound may have cut off what the whole list shows: a list in the default order that is at least
 * as long as the whole one has all of it.
 */
function isCut({ before, part, sorted = false }: Selection): boolean {
  return part.end === 'limit' && (sorted || part.ids.length < before.ids.length);
}

/** The query finds all that matched before and after. Several pages are judged only while the list does not change. */
export function findsAll(selection: Selection): Judgement {
  const { before, after, part, matches, filter } = selection;
  const broken = notAnswered(part, filter);
  if (broken !== undefined) return broken;
  if (isCut(selection)) return notObserved;
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

/** The query selects nothing; judged only where the list has items. A refusal selects nothing either, a failure tells nothing. */
export function selectsNone(whole: Part, part: Part, filter: string): Judgement {
  const status = part.exchanges.at(-1)?.response?.status ?? 0;
  const isRefused = status >= 400 && status < 500;
  if (whole.ids.length === 0 || (part.end === 'no-page' && !isRefused)) return notObserved;
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

/** The query is answered with a page, which has no items; judged only where the list has items. */
export function findsNone(whole: Part, part: Part, filter: string): Judgement {
  const isEmpty = whole.ids.length === 0;
  return (isEmpty ? undefined : notAnswered(part, filter)) ?? selectsNone(whole, part, filter);
}

/** The ids that both lists have, in the order of each. */
export function commonOrder(whole: Pick<Part, 'ids'>, part: Pick<Part, 'ids'>) {
  const [known, found] = [new Set(whole.ids), new Set(part.ids)];
  return {
    expected: whole.ids.filter((id) => found.has(id)),
    actual: [...found].filter((id) => known.has(id)),
  };
}

/** The part keeps the order of its list, which was read before and after; `isTied` when dates cannot tell the order. */
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

/** `shown` is an accepted request, so the instance exists and is the caller's. A list that was cut is not judged. */
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

/**
 * An item that a filter selects before and after the whole list was read was listed in between, whatever else changed. A
 * walk over many pages may miss an item that slips between two of them, so only items that all walks lack count.
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
  // Whether terminated instances stay listed is open.
  const live = idsOf(later.records.filter((record) => !isDying(textOf(record, 'status'))));
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
