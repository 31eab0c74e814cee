/** What keeps holding on later pages: filters, date windows and searches. */

import { statusFilters } from '../../schemas/compute/list-instances.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import { inReach } from '../../harness/checks/collection/bracket.ts';
import {
  distinctTexts,
  PAGES_TO_THE_END,
  tellingFilters,
  tellingPages,
  type TellingPages,
} from '../../harness/checks/collection/chosen-values.ts';
import { type WireRecord, idsOf } from '../../harness/checks/compute/records.ts';
import { notAnswered, selects } from '../../harness/checks/collection/filter.ts';
import { sameItems } from '../../harness/checks/collection/walk.ts';
import { boundedSubset, findSpan, instant } from '../../harness/drivers/collection/dating.ts';
import { readInstances } from '../../harness/drivers/collection/reading.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { having, tell, wholeInstances } from '../../harness/drivers/collection/whole-list.ts';
import { NotExercised } from '../../harness/runner/case.ts';

/** Pages of a walk that are judged beyond the first. */
const LATER_PAGES = 4;
/** Searches that are tried for one that tells. */
const SEARCHES = 6;

/** A size by which so many items take at least two pages, and not many. */
function smallSize(items: number): number {
  return Math.min(199, Math.max(1, Math.ceil(items / LATER_PAGES)));
}

export default computeSection('pagination', (test) => {
  test(
    'a filter holds on the second page and after',
    { judges: ['compute.pagination.filter-on-later-pages'], requests: 8 },
    async (t) => {
      const whole = wholeInstances(t);
      const { records } = await having(whole, 2, 'instances');
      const filters = tellingFilters(records, LATER_PAGES);
      for (const { filter, matches, size } of filters) {
        const options = { size, mostPages: LATER_PAGES + PAGES_TO_THE_END };
        const verdicts = await whole.against(
          async () => readInstances(t.api, filter, options),
          (around, part) => [
            {
              requirement: 'compute.pagination.filter-on-later-pages' as const,
              judgement: selects({
                ...around,
                part,
                matches,
                filter: `${JSON.stringify(filter)} over ${part.exchanges.length} pages`,
              }),
            },
          ],
        );
        tell(t, verdicts);
      }
      if (filters.length > 0) return;
      throw new NotExercised(
        'no GPU model, region or status of the account fills two pages that differ from those of the whole list',
      );
    },
  );

  test(
    'each status and each region filter goes on to its second page',
    { judges: ['compute.pagination.filter-on-later-pages'], requests: 18 },
    async (t) => {
      const whole = wholeInstances(t);
      const { records } = await having(whole, 2, 'instances');
      let tried = 0;
      const filters = [
        ...Object.entries(statusFilters).map(([value, state]) => ['status', value, state] as const),
        ...regionCodes.map((code) => ['region', code, code] as const),
      ];
      for (const [field, value, shown] of filters) {
        const matches = (record: WireRecord) => record[field] === shown;
        const size = Math.min(199, Math.ceil(records.filter(matches).length / 2));
        if (size === 0) continue;
        tried += 1;
        const verdicts = await whole.againstOne(
          async () =>
            readInstances(
              t.api,
              { [field]: value },
              { size, mostPages: LATER_PAGES + PAGES_TO_THE_END },
            ),
          (around, part) => [
            {
              requirement: 'compute.pagination.filter-on-later-pages' as const,
              judgement: selects({
                ...around,
                part,
                matches,
                filter: `${field}=${value} over ${part.exchanges.length} pages`,
                withinFull: value !== 'terminated',
              }),
            },
          ],
        );
        tell(t, verdicts);
      }
      if (tried === 0)
        throw new NotExercised('no instance is in a state or region that can be filtered by');
    },
  );

  test(
    'a date window holds on the second page and after',
    { judges: ['compute.pagination.filter-on-later-pages'], requests: 30 },
    async (t) => {
      const { ids } = await having(wholeInstances(t, {}, { mostPages: 1 }), 4, 'instances');
      const { from, to } = await findSpan(t.api, ids);
      const middle = instant(Math.floor((from + to) / 2));
      // What is older than a page is within its end date: only another order shows that an end was dropped.
      for (const window of [
        { date_range_begin: middle },
        { date_range_end: middle, sort_field: 'NAME' },
      ]) {
        const found = wholeInstances(t, window, { mostPages: 1 });
        const known = await found.known();
        if (known.ids.length < 2) continue;
        const options = {
          size: smallSize(known.ids.length),
          mostPages: LATER_PAGES + PAGES_TO_THE_END,
        };
        const verdicts = await found.against(
          async () => readInstances(t.api, window, options),
          (around, walked) => {
            const { bracket, walk } = inReach(around, walked);
            return [
              {
                requirement: 'compute.pagination.filter-on-later-pages' as const,
                judgement: notAnswered(walked, JSON.stringify(window)) ?? sameItems(bracket, walk),
              },
            ];
          },
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'a search holds on the second page and after',
    { judges: ['compute.pagination.search-on-later-pages'], requests: 10 },
    async (t) => {
      const part = await boundedSubset(t);
      const { records } = await having(wholeInstances(t, part, { mostPages: 1 }), 2, 'instances');
      const texts = [...distinctTexts(records, 'gpu_type'), ...distinctTexts(records, 'region')];
      const searches: { readonly text: string; readonly pages: TellingPages }[] = [];
      for (const text of texts.slice(0, SEARCHES)) {
        const { ids } = await wholeInstances(t, { ...part, free_text_search: text }).known();
        const found = new Set(ids);
        // What a search matches is open; one that finds everything would not show that it was dropped.
        const selected = idsOf(records).map((id) => found.has(id));
        const pages = tellingPages(selected, LATER_PAGES);
        if (pages !== undefined) searches.push({ text, pages });
      }
      const [best] = searches.toSorted((one, other) => other.pages.telling - one.pages.telling);
      if (best === undefined) {
        throw new NotExercised(
          'no search that was tried fills two pages that differ from those of the whole list',
        );
      }
      const query = { ...part, free_text_search: best.text };
      const verdicts = await wholeInstances(t, query).against(
        async () =>
          readInstances(t.api, query, {
            size: best.pages.size,
            mostPages: LATER_PAGES + PAGES_TO_THE_END,
          }),
        (around, walked) => {
          const { bracket, walk } = inReach(around, walked);
          return [
            {
              requirement: 'compute.pagination.search-on-later-pages' as const,
              judgement: notAnswered(walked, 'free_text_search') ?? sameItems(bracket, walk),
            },
          ];
        },
      );
      tell(t, verdicts);
    },
  );
});
