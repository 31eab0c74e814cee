/** A filtered list against the full list, filtered by us. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, together, notObserved, violated } from '../judgement.ts';
import { isSameSequence } from './bracket.ts';
import { type WireRecord, firstRepeat, idsOf } from './records.ts';

export interface FilteredList {
  /** The full list before the filtered one was read, and after. */
  readonly before: readonly WireRecord[];
  readonly after: readonly WireRecord[];
  readonly filtered: readonly WireRecord[];
  /** The exchanges that brought the filtered list. */
  readonly exchanges: readonly Exchange[];
  /** Whether the filter means this record. */
  readonly matches: (record: WireRecord) => boolean;
  /** The filter in words, as in `status=running`. */
  readonly filter: string;
  /** False where the filter may show what the full list does not, such as terminated instances. */
  readonly withinFull?: boolean;
  /** True when one page showed all that was selected: nothing can have slipped from page to page. */
  readonly onOnePage?: boolean;
  /** True for several pages in the default order: nothing may come twice while nothing moves. */
  readonly overPages?: boolean;
}

/** Every record of the filtered list is one that the filter means. */
function onlyMatching(list: FilteredList): Judgement {
  if (list.filtered.length === 0) return notObserved;
  const stray = list.filtered.find((record) => !list.matches(record));
  return stray === undefined
    ? { seen: list.filtered.length, violations: [] }
    : violated(
        `The filter ${list.filter} let through what it does not mean.`,
        { expected: list.filter, actual: stray },
        ...list.exchanges,
      );
}

/**
 * The filtered list is the full list filtered by us. Only records that the filter means both before and after have to
 * be in it. While the list did not stand still, one that it lacks is a violation only where one page showed all, and
 * the record did not start anew in between; what else it lacks, or has beyond both lists, tells nothing then, and
 * neither does the rest that is right.
 */
export function filteredEquals(list: FilteredList): Judgement {
  if (list.before.length === 0) return onlyMatching(list);
  const before = idsOf(list.before);
  const starts = new Map(before.map((id, place) => [id, list.before[place]?.['started_at']]));
  // Who was stopped and started in between was not meant all the time.
  const isResting = (record: WireRecord): boolean =>
    Object.is(starts.get(idsOf([record])[0] ?? ''), record['started_at']);
  const stoodStill = isSameSequence(before, idsOf(list.after));
  const wanted = new Set(idsOf(list.before.filter((record) => list.matches(record))));
  const stillWanted = idsOf(
    list.after.filter((record) => list.matches(record) && (stoodStill || isResting(record))),
  );
  const got = new Set(idsOf(list.filtered));
  const missing = stillWanted.filter((id) => wanted.has(id) && !got.has(id));
  const isUnsettled = missing.length > 0 && !stoodStill && list.onOnePage !== true;
  if (isUnsettled) return violatedOrVacuous(onlyMatching(list));
  const complete = expectThat(
    missing.length === 0,
    `The filter ${list.filter} left out what it means.`,
    {
      expected: `${stillWanted.length} items`,
      actual: `without ${missing.slice(0, 10).join(', ')}`,
    },
    ...list.exchanges,
  );
  const full = new Set([...before, ...idsOf(list.after)]);
  const extra = list.withinFull === false ? [] : [...got].filter((id) => !full.has(id));
  const within = stoodStill
    ? expectThat(
        extra.length === 0,
        `The filter ${list.filter} shows what the full list does not.`,
        { expected: 'a part of the full list', actual: extra.slice(0, 10).join(', ') },
        ...list.exchanges,
      )
    : notObserved;
  const meansTheSame = stoodStill && isSameSequence([...wanted], stillWanted);
  const once = list.overPages === true ? withoutRepeats(list) : notObserved;
  const all = [onlyMatching(list), complete, within];
  // An item that comes twice, or is in neither list, may have been moved by what else changed: a list at rest has to tell.
  const tellsNothing = stoodStill ? false : extra.length > 0;
  const isTold = meansTheSame || once.violations.length === 0;
  return isTold && !tellsNothing ? together(...all, once) : violatedOrVacuous(...all);
}

/** The first judgement that is wrong. What is right besides must not cover what cannot be told. */
function violatedOrVacuous(...judgements: readonly Judgement[]): Judgement {
  return judgements.find(({ violations }) => violations.length > 0) ?? notObserved;
}

function withoutRepeats({ filtered, filter, exchanges }: FilteredList): Judgement {
  const twice = firstRepeat(idsOf(filtered));
  return expectThat(
    twice === undefined,
    `A walk over the filter ${filter} gave an item twice.`,
    { expected: 'each item once', actual: `${twice} twice` },
    ...exchanges,
  );
}

/** A filter that means nothing there is gives an empty list. */
export function selectsNothing(
  exchange: Exchange,
  items: readonly unknown[] | undefined,
  filter: string,
): Judgement {
  if (items === undefined) return notObserved;
  return expectThat(
    items.length === 0,
    `The filter ${filter} selected something.`,
    {
      expected: 'no items',
      actual: `${items.length} items, the first ${JSON.stringify(items[0])}`,
    },
    exchange,
  );
}
