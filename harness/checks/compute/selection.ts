/** What a query selected, against the whole list, on accounts of any size and while others change them. */

import { type Judgement, expectThat, notObserved, violated } from '../judgement.ts';
import { answered } from './answers.ts';
import { isSameSequence } from './bracket.ts';
import type { Extent } from './extent.ts';
import { filteredEquals } from './filter.ts';
import type { WireRecord } from './records.ts';

/** A walk over a list, with what it brought. */
export interface Part extends Extent {
  readonly records: readonly WireRecord[];
}

export interface Selection {
  readonly before: Part;
  readonly after: Part;
  readonly part: Part;
  readonly matches: (record: WireRecord) => boolean;
  /** The query in words, as in `status=running`. */
  readonly filter: string;
  /** False where the query may show what the full list does not, such as terminated instances. */
  readonly withinFull?: boolean;
  /** True for a list in another order than the default: cut by our own bound, it may lack what the whole list has. */
  readonly sorted?: boolean;
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

/**
 * The query gives exactly what it means of the whole list. Where nothing is meant and nothing came, nothing was
 * seen: a filter that always gives an empty page would look the same.
 */
export function selects(selection: Selection): Judgement {
  const { before, after, part, matches, filter } = selection;
  const broken = notAnswered(part, filter);
  if (broken !== undefined) return broken;
  if (part.records.length === 0 && !before.records.some((record) => matches(record))) {
    return notObserved;
  }
  const whole = before.end === 'last-page' && after.end === 'last-page';
  const list = {
    before: before.records,
    after: after.records,
    filtered: part.records,
    exchanges: part.exchanges,
    matches,
    filter,
    withinFull: whole && selection.withinFull !== false,
    onOnePage: part.end === 'last-page' && part.exchanges.length === 1,
    overPages: part.exchanges.length > 1 && selection.sorted !== true,
  };
  // Without a list to hold it against, only what came is judged: our own bound may have come before the end of a list
  // that grew since the size of its pages was chosen.
  const isShort = selection.sorted === true || part.ids.length < before.ids.length;
  const isCut = part.end === 'limit' && isShort;
  return filteredEquals(isCut ? { ...list, before: [] } : list);
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
  const meant = ({ ids, records }: Part) => ids.filter((_, place) => matches(records[place] ?? {}));
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
