/** What keeps holding on later pages: date windows, searches, and filters beside either. */

import type { Define } from '../../../harness/drivers/collection/collection.ts';
import { freeTextLength } from '../../../schemas/compute/list-instances.ts';
import {
  PAGES_TO_THE_END,
  type TellingPages,
  distinctTexts,
  tellingFilters,
  tellingPages,
} from '../../../harness/checks/collection/chosen-values.ts';
import { type WireRecord, idsOf } from '../../../harness/checks/compute/records.ts';
import { sameInParts, selects } from '../../../harness/checks/collection/filter.ts';
import { instant } from '../../../harness/drivers/collection/dating.ts';
import { among, readInstances } from '../../../harness/drivers/collection/reading.ts';
import {
  boundedSubset,
  having,
  judgeAround,
  tell,
  wholeInstances,
} from '../../../harness/drivers/collection/whole-list.ts';
import { NotExercised } from '../../../harness/runner/case.ts';
import { tellingSpan } from './windows.ts';
import { BEFORE_ALL } from '../../../harness/checks/collection/window.ts';

/** Pages of a walk that are judged beyond the first. */
const LATER_PAGES = 4;
/** Searches that are tried for one that tells. */
const SEARCHES = 6;

const COMBINES = 'compute.list-instances.filters-combine' as const;
const HOLDS = 'compute.pagination.filter-on-later-pages' as const;
const SEARCH_HOLDS = 'compute.pagination.search-on-later-pages' as const;

/** Searches that are tried beside a state. */
const SEARCHES_BESIDE = 4;
const mostPages = LATER_PAGES + PAGES_TO_THE_END;

/** A search, the size of page by which it tells most, and on how many pages. */
interface Told extends TellingPages {
  readonly free_text_search: string;
  readonly status?: string;
}

/** The search that tells most. Throws `NotExercised` where none does. */
function mostTold(searches: readonly Told[]): Told {
  const [best] = searches.toSorted((one, other) => other.telling - one.telling);
  if (best !== undefined) return best;
  throw new NotExercised(
    'no search that was tried fills two pages that differ from those without it',
  );
}

/** A size by which so many items take at least two pages, and not many. */
function smallSize(items: number): number {
  return Math.min(199, Math.max(1, Math.ceil(items / LATER_PAGES)));
}

/** Windows and searches on the second page and after. */
export function laterPages(test: Define): void {
  test('a date window holds on the second page and after', { judges: [HOLDS] }, async (t) => {
    await having(wholeInstances(t, {}, { mostPages: 1 }), 4, 'instances');
    const { from, to } = await tellingSpan(t);
    const middle = instant(Math.floor((from + to) / 2));
    // What is older than a page is within its end date: only another order shows that an end was dropped.
    for (const window of [
      { date_range_begin: middle },
      { date_range_end: middle, sort_field: 'NAME' },
    ]) {
      const found = wholeInstances(t, window, { mostPages: 1 });
      const known = await found.known();
      if (known.ids.length < 2) continue;
      const options = { size: smallSize(known.ids.length), mostPages };
      await judgeAround(
        t,
        found,
        HOLDS,
        async () => readInstances(t.api, window, options),
        (around, walked) => sameInParts(around, walked, JSON.stringify(window)),
      );
    }
  });

  test('a search holds on the second page and after', { judges: [SEARCH_HOLDS] }, async (t) => {
    const part = await boundedSubset(t);
    const { records } = await having(wholeInstances(t, part, { mostPages: 1 }), 2, 'instances');
    const texts = [...distinctTexts(records, 'gpu_type'), ...distinctTexts(records, 'region')];
    const searches: Told[] = [];
    for (const free_text_search of t.some(texts.slice(0, SEARCHES), 3)) {
      const { ids } = await wholeInstances(t, { ...part, free_text_search }).known();
      const found = new Set(ids);
      // What a search matches is open; one that finds everything would not show that it was dropped.
      const pages = tellingPages(
        idsOf(records).map((id) => found.has(id)),
        LATER_PAGES,
      );
      if (pages !== undefined) searches.push({ free_text_search, ...pages });
    }
    const { free_text_search, size } = mostTold(searches);
    const query = { ...part, free_text_search };
    await judgeAround(
      t,
      wholeInstances(t, query),
      SEARCH_HOLDS,
      async () => readInstances(t.api, query, { size, mostPages }),
      (around, walked) => sameInParts(around, walked, 'free_text_search'),
    );
  });
}

/** Bounds that leave nothing out: what shows beside them was forgotten. */
const ever = {
  date_range_begin: instant(BEFORE_ALL),
  date_range_end: instant(Date.UTC(2100, 0, 1)),
} as const;

/** Filters beside windows and searches that leave nothing out, or little. */
export function besideOnLaterPages(test: Define): void {
  test(
    'a filter holds beside a window over all times, on one page and on several',
    { judges: [COMBINES, HOLDS] },
    async (t) => {
      const shown = await boundedSubset(t);
      const whole = wholeInstances(t, shown);
      const { records } = await having(whole, 2, 'instances');
      const filters = tellingFilters(records, LATER_PAGES);
      for (const { filter, matches, size } of t.some(filters, 1)) {
        const query = { ...ever, ...shown, ...filter };
        const verdicts = await whole.against(
          async () => [
            { requirement: COMBINES, part: await readInstances(t.api, query) },
            { requirement: HOLDS, part: await readInstances(t.api, query, { size, mostPages }) },
          ],
          (around, parts) =>
            parts.map(({ requirement, part }) => ({
              requirement,
              judgement: selects({ ...around, part, matches, filter: JSON.stringify(query) }),
            })),
        );
        tell(t, verdicts);
      }
      if (filters.length === 0) {
        throw new NotExercised('no GPU model, region or status fills two pages that tell');
      }
    },
  );

  test(
    'a search holds beside a status on the second page and after',
    { judges: [SEARCH_HOLDS] },
    async (t) => {
      const shown = await boundedSubset(t);
      const { records } = await having(wholeInstances(t, shown), 2, 'instances');
      const searches: Told[] = [];
      for (const [status, state] of [
        ['running', 'RUNNING'],
        ['stopped', 'STOPPED'],
      ] as const) {
        const there = records.filter((record) => record['status'] === state);
        const texts = [...distinctTexts(there, 'gpu_type'), ...distinctTexts(there, 'region')];
        for (const text of t.some(texts.slice(0, SEARCHES_BESIDE), 3)) {
          const free_text_search = text.slice(0, freeTextLength);
          const isFound = await among(t, { ...shown, free_text_search });
          const pages = tellingPages(there.map(isFound), LATER_PAGES);
          if (pages !== undefined) searches.push({ status, free_text_search, ...pages });
        }
      }
      const { status, free_text_search, size } = mostTold(searches);
      const query = { ...shown, status, free_text_search };
      await judgeAround(
        t,
        wholeInstances(t, { ...shown, status }),
        SEARCH_HOLDS,
        async () => {
          const earlier = await among(t, { ...shown, free_text_search });
          const part = await readInstances(t.api, query, { size, mostPages });
          const later = await among(t, { ...shown, free_text_search });
          return { part, matches: (record: WireRecord) => earlier(record) || later(record) };
        },
        (around, { part, matches }) =>
          selects({ ...around, part, matches, filter: JSON.stringify(query) }),
      );
    },
  );
}
