/** Filters beside windows and searches that leave nothing out, or little: on one page, and from page to page. */

import { freeTextLength } from '../../schemas/compute/list-instances.ts';
import {
  distinctTexts,
  PAGES_TO_THE_END,
  tellingFilters,
  tellingPages,
  type TellingPages,
} from '../../harness/checks/collection/chosen-values.ts';
import type { WireRecord } from '../../harness/checks/compute/records.ts';
import { selects } from '../../harness/checks/collection/filter.ts';
import { BEFORE_ALL } from '../../harness/checks/collection/window.ts';
import { among, readInstances } from '../../harness/drivers/collection/reading.ts';
import { boundedSubset, instant } from '../../harness/drivers/collection/dating.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { having, tell, wholeInstances } from '../../harness/drivers/collection/whole-list.ts';
import { NotExercised } from '../../harness/runner/case.ts';

const COMBINES = 'compute.list-instances.filters-combine' as const;
const HOLDS = 'compute.pagination.filter-on-later-pages' as const;
const SEARCH_HOLDS = 'compute.pagination.search-on-later-pages' as const;

/** Pages of a walk that are judged beyond the first. */
const LATER_PAGES = 4;
const mostPages = LATER_PAGES + PAGES_TO_THE_END;
/** Searches that are tried for one that tells. */
const SEARCHES = 4;

/** Bounds that leave nothing out: what shows beside them was forgotten. */
const ever = {
  date_range_begin: instant(BEFORE_ALL),
  date_range_end: instant(Date.UTC(2100, 0, 1)),
} as const;

export default computeSection('pagination', (test) => {
  test(
    'a filter holds beside a window over all times, on one page and on several',
    { judges: [COMBINES, HOLDS], requests: 14 },
    async (t) => {
      const shown = await boundedSubset(t);
      const whole = wholeInstances(t, shown);
      const { records } = await having(whole, 2, 'instances');
      const filters = tellingFilters(records, LATER_PAGES);
      for (const { filter, matches, size } of filters) {
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
    { judges: [SEARCH_HOLDS], requests: 14 },
    async (t) => {
      const shown = await boundedSubset(t);
      const { records } = await having(wholeInstances(t, shown), 2, 'instances');
      const searches: { readonly query: Record<string, string>; readonly pages: TellingPages }[] =
        [];
      for (const [status, state] of [
        ['running', 'RUNNING'],
        ['stopped', 'STOPPED'],
      ] as const) {
        const there = records.filter((record) => record['status'] === state);
        const texts = [...distinctTexts(there, 'gpu_type'), ...distinctTexts(there, 'region')];
        for (const text of texts.slice(0, SEARCHES)) {
          const free_text_search = text.slice(0, freeTextLength);
          const isFound = await among(t, { ...shown, free_text_search });
          const pages = tellingPages(there.map(isFound), LATER_PAGES);
          if (pages !== undefined) searches.push({ query: { status, free_text_search }, pages });
        }
      }
      const [best] = searches.toSorted((one, other) => other.pages.telling - one.pages.telling);
      if (best === undefined) {
        throw new NotExercised('no search among what runs or is stopped fills two pages that tell');
      }
      const { status, free_text_search } = best.query;
      const query = { ...shown, ...best.query };
      const verdicts = await wholeInstances(t, { ...shown, status }).against(
        async () => {
          const earlier = await among(t, { ...shown, free_text_search });
          const part = await readInstances(t.api, query, { size: best.pages.size, mostPages });
          const later = await among(t, { ...shown, free_text_search });
          return { part, matches: (record: WireRecord) => earlier(record) || later(record) };
        },
        (around, { part, matches }) => [
          {
            requirement: SEARCH_HOLDS,
            judgement: selects({ ...around, part, matches, filter: JSON.stringify(query) }),
          },
        ],
      );
      tell(t, verdicts);
    },
  );
});
