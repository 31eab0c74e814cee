/** Cursors: one that nobody issued, one used twice, and what keeps holding on later pages. */

import { regionCodes } from '../../schemas/compute/regions.ts';
import { refusedWith } from '../../harness/checks/compute/answers.ts';
import { inReach } from '../../harness/checks/compute/extent.ts';
import { distinctTexts } from '../../harness/checks/compute/instance-query.ts';
import { noCrash } from '../../harness/checks/compute/odd-request.ts';
import { nothingForeign } from '../../harness/checks/compute/foreign-items.ts';
import { type WireRecord, idsOf } from '../../harness/checks/compute/records.ts';
import { notAnswered, selects } from '../../harness/checks/compute/selection.ts';
import { samePage } from '../../harness/checks/compute/same-page.ts';
import { sameItems } from '../../harness/checks/compute/sequence.ts';
import { compareTexts } from '../../harness/checks/compute/sort-key.ts';
import { inOrder } from '../../harness/checks/compute/sorting.ts';
import { oddText } from '../../harness/generate/odd-text.ts';
import { readInstances } from '../../harness/session/compute/listing.ts';
import { computeSection } from '../../harness/session/compute/session.ts';
import { surveyable } from '../../harness/session/compute/surveyable.ts';
import { having, tell, wholeInstances } from '../../harness/session/compute/whole-lists.ts';
import { type TellingPages, tellingPages } from '../../harness/checks/compute/telling-pages.ts';
import { nextCursor } from '../../harness/checks/compute/next-cursor.ts';
import { NotExercised } from '../../harness/suite/signals.ts';

/** Nobody issues this: cursors are opaque, so nothing closer to a real one is ever made up. */
const GARBAGE = 'plumbline-no-such-cursor';
/** Pages of a walk that are judged beyond the first. */
const LATER_PAGES = 4;
/** Searches that are tried for one that tells. */
const SEARCHES = 6;

/** A size by which so many items take at least two pages, and not many. */
function smallSize(items: number): number {
  return Math.min(199, Math.max(1, Math.ceil(items / LATER_PAGES)));
}

/** Values by which a status can be filtered; a region by its code alone. */
const filterable: ReadonlySet<string> = new Set(['RUNNING', 'STOPPED', 'ERRORED', ...regionCodes]);

/** The value of a field, and the size of page, by which a filter that is dropped on a later page shows best. */
function mostTelling(records: readonly WireRecord[], field: 'gpu_type' | 'region' | 'status') {
  const [best] = distinctTexts(records, field)
    .filter((value) => field === 'gpu_type' || filterable.has(value))
    .flatMap((value) => {
      const selected = records.map((record) => record[field] === value);
      const pages = tellingPages(selected, LATER_PAGES);
      return pages === undefined ? [] : [{ value, ...pages }];
    })
    .toSorted((one, other) => other.telling - one.telling);
  return best;
}

export default computeSection('pagination', (test) => {
  test(
    'a filter holds on the second page and after',
    { judges: ['compute.pagination.filter-on-later-pages'], requests: 8 },
    async (t) => {
      const whole = wholeInstances(t);
      const { records } = await having(whole, 2, 'instances');
      let tried = 0;
      for (const field of ['gpu_type', 'region', 'status'] as const) {
        const chosen = mostTelling(records, field);
        if (chosen === undefined) continue;
        tried += 1;
        const filter = { [field]: field === 'status' ? chosen.value.toLowerCase() : chosen.value };
        const options = { size: chosen.size, mostPages: LATER_PAGES + 2 };
        const verdicts = await whole.against(
          async () => readInstances(t.api, filter, options),
          (around, part) => [
            {
              requirement: 'compute.pagination.filter-on-later-pages' as const,
              judgement: selects({
                ...around,
                part,
                matches: (record) => record[field] === chosen.value,
                filter: `${JSON.stringify(filter)} over ${part.exchanges.length} pages`,
              }),
            },
          ],
        );
        tell(t, verdicts);
      }
      if (tried > 0) return;
      throw new NotExercised(
        'no GPU model, region or status of the account fills two pages that differ from those of the whole list',
      );
    },
  );

  test(
    'a sort holds on the second page and after',
    { judges: ['compute.pagination.sort-on-later-pages'], requests: 8 },
    async (t) => {
      const whole = wholeInstances(t);
      const { ids } = await having(whole, 2, 'instances');
      const query = { sort_field: 'NAME', sort_direction: 'ASC' };
      const options = { size: smallSize(ids.length), mostPages: LATER_PAGES };
      const verdicts = await whole.against(
        async () => readInstances(t.api, query, options),
        (_, list) => {
          const items = list.records.map((record, index) => ({
            id: list.ids[index] ?? '',
            key: record['name'],
          }));
          return [
            {
              requirement: 'compute.pagination.sort-on-later-pages' as const,
              judgement:
                notAnswered(list, 'sort_field=NAME') ??
                inOrder({ items, exchanges: list.exchanges }, 'ASC', compareTexts),
            },
          ];
        },
      );
      tell(t, verdicts);
      if (verdicts.every(({ judgement }) => judgement.seen === 0)) {
        throw new NotExercised('no two instances differ by name');
      }
    },
  );

  test(
    'a search holds on the second page and after',
    { judges: ['compute.pagination.search-on-later-pages'], requests: 10 },
    async (t) => {
      const part = await surveyable(t);
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
          readInstances(t.api, query, { size: best.pages.size, mostPages: LATER_PAGES + 2 }),
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

  test(
    'the same cursor twice gives the same page',
    { judges: ['compute.pagination.cursor-repeats'], requests: 8 },
    async (t) => {
      const whole = wholeInstances(t, {}, { mostPages: 1 });
      await having(whole, 2, 'instances');
      for (const size of [1, undefined]) {
        const verdicts = await whole.against(
          async () => {
            const cursor = nextCursor(await t.api.list({ size: 1 }));
            if (typeof cursor !== 'string') throw new NotExercised('the list has no second page');
            return [
              await t.api.list({ cursor, size }),
              await t.api.list({ cursor, size }),
            ] as const;
          },
          ({ before, after }, [first, again]) => [
            {
              requirement: 'compute.pagination.cursor-repeats' as const,
              judgement: samePage({ before: before.ids, after: after.ids }, first, again),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'a cursor that nobody issued is refused',
    { judges: ['compute.pagination.garbage-cursor-refused'], requests: 1 },
    async (t) => {
      const answer = await t.api.list({ cursor: GARBAGE });
      t.judge(
        'compute.pagination.garbage-cursor-refused',
        refusedWith(answer, 400, 'A cursor that nobody issued'),
      );
    },
  );

  test(
    'a cursor that nobody issued never gives instances of somebody else',
    { judges: ['compute.pagination.garbage-cursor-gives-nothing'], requests: 4 },
    async (t) => {
      const whole = wholeInstances(t);
      const foreign =
        t.target.keys.second === undefined
          ? undefined
          : await readInstances(t.api, {}, { as: 'second', mostPages: 2 });
      const verdicts = await whole.against(
        async () => t.api.list({ cursor: GARBAGE, size: 200 }),
        (around, answer) => [
          {
            requirement: 'compute.pagination.garbage-cursor-gives-nothing' as const,
            judgement: nothingForeign(around, answer, foreign?.ids ?? []),
          },
        ],
      );
      tell(t, verdicts);
    },
  );

  test(
    'odd cursors never bring about a server error',
    { judges: ['compute.pagination.garbage-cursor-no-5xx'], requests: 10 },
    async (t) => {
      await t.property(
        'odd cursors',
        oddText,
        async (cursor, judge) => {
          const answer = await t.api.list({ cursor });
          const plain = (answer.response?.status ?? 0) < 500 ? undefined : await t.api.list();
          judge('compute.pagination.garbage-cursor-no-5xx', noCrash(answer, plain, cursor));
        },
        { weight: 0.5 },
      );
    },
  );

  test(
    'what a cursor does beside other filters is recorded',
    { judges: ['compute.pagination.cursor-with-other-filters'], requests: 3 },
    async (t) => {
      const cursor = nextCursor(await t.api.list({ size: 1 }));
      if (typeof cursor !== 'string') throw new NotExercised('the list has no second page');
      const answer = await t.api.list({ size: 1, cursor, region: 'FR' });
      t.record(
        'compute.pagination.cursor-with-other-filters',
        `a cursor of the whole list, with region=FR: ${answer.response?.status}`,
        answer,
      );
    },
  );
});
