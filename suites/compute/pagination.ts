/** Pagination of the instance list: every walk gives the same sequence and ends, also sorted and filtered. */

import { filterOfState, mostShared } from '../../harness/checks/collection/chosen-values.ts';
import { compareOne, lacking, wholeOf } from '../../harness/drivers/collection/collection.ts';
import { nothingForeign } from '../../harness/checks/collection/walk.ts';
import { notAnswered, selects } from '../../harness/checks/collection/filter.ts';
import { lastPageIsNull, nextCursor } from '../../harness/checks/collection/bounds.ts';
import type { WireRecord } from '../../harness/checks/compute/records.ts';
import { requireItems, judgeAround } from '../../harness/drivers/collection/whole-list.ts';
import { boundedSubset } from '../../harness/drivers/collection/instances.ts';
import { readInstances } from '../../harness/drivers/collection/reading.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import { instances } from './collections.ts';
import { GARBAGE, cursors } from './laws/bounds.ts';
import { NotExercised } from '../../harness/runner/case.ts';
import { isRegionCode } from '../../schemas/compute/regions.ts';
import { keepsOverPages } from '../../harness/checks/collection/sorts-over-pages.ts';
import type { SortDirection } from '../../harness/checks/collection/order.ts';
import { sortsOnLaterPages } from './laws/sorts.ts';
import { walks } from './laws/walks.ts';
import { filtersOnLaterPages } from './laws/filters.ts';
import { searchOnLaterPages } from './laws/search.ts';

const of = idsIn('pagination');

/** Sorts to walk with the largest pages: a server that sorts only some rows does so for all fields. */
const sortsOfMany = ['NAME', 'HOURLY_RATE'] as const;
const LARGEST_PAGE = 200;

/** Sorts whose keys change over time: a walk may miss items that move. */
const movingSorts = new Set(['CURRENT_COST', 'HOURLY_RATE']);

const SORT_HOLDS = of('sort-on-later-pages');
const KEEPS_ITEMS = 'compute.list-instances.sort-keeps-items' as const;

/** One more than needed, for an empty last page. */
const FILTERED_PAGES = 5;

/** Whether filters name all of it. The default list may not show what is TERMINATED. */
const isFilterable = ({ status, region }: WireRecord): boolean =>
  status !== 'TERMINATED' && filterOfState(status) !== undefined && isRegionCode(region);

export default computeSection('pagination', (test) => {
  walks(test, instances);
  cursors(test, instances);

  test(
    'a cursor that nobody issued never gives instances of somebody else',
    { judges: [of('garbage-cursor-gives-nothing')] },
    async (t) => {
      const foreign =
        t.target.keys.second === undefined
          ? undefined
          : await instances.read(t, {}, { as: 'second', mostPages: 2 });
      await judgeAround(
        t,
        wholeOf(t, instances),
        of('garbage-cursor-gives-nothing'),
        async () => t.api.list({ cursor: GARBAGE, size: 200 }),
        (around, answer) => nothingForeign(around, answer, foreign?.ids ?? []),
      );
    },
  );

  test(
    'what a cursor does beside other filters is recorded',
    { judges: [of('cursor-with-other-filters')] },
    async (t) => {
      const cursor = nextCursor(await t.api.list({ size: 1 }));
      if (typeof cursor !== 'string') throw new NotExercised('the list has no second page');
      const answer = await t.api.list({ size: 1, cursor, region: 'FR' });
      t.record(
        of('cursor-with-other-filters'),
        `a cursor of the whole list, with region=FR: ${answer.response?.status}`,
        answer,
      );
    },
  );

  test(
    'how a list ends that fills its pages exactly, and what a short page says, is recorded',
    { judges: [of('empty-last-page'), of('short-page-size')] },
    async (t) => {
      const query = await boundedSubset(t);
      const { ids } = await requireItems(
        wholeOf(t, instances, query, { mostPages: 1 }),
        1,
        'instances',
      );
      if (ids.length === 200) {
        throw new NotExercised('the account has more than a page of instances');
      }
      const exact = await readInstances(t.api, query, { size: ids.length, mostPages: 2 });
      t.record(
        of('empty-last-page'),
        `${ids.length} items by pages of ${ids.length}: ${exact.exchanges.length === 1 ? 'one page' : 'two pages'}`,
        exact.exchanges.at(-1),
      );
      const short = await t.api.list({ ...query, size: 200 });
      t.record(
        of('short-page-size'),
        `${ids.length} items on a page of 200: size ${lastPageIsNull(short, undefined).size}`,
        short,
      );
    },
  );

  filtersOnLaterPages(test, instances);
  searchOnLaterPages(test, instances);
  sortsOnLaterPages(test, instances);

  test(
    'a sort of more than the largest page holds on the second one',
    { judges: [SORT_HOLDS] },
    async (t) => {
      const whole = wholeOf(t, instances);
      const { ids } = await whole.known();
      if (ids.length <= LARGEST_PAGE) throw new NotExercised('one page shows the whole account');
      for (const sort of t.some(sortsOfMany)) {
        const read = async (sort_direction: SortDirection) =>
          readInstances(t.api, { sort_field: sort, sort_direction }, { mostPages: 2 });
        await judgeAround(
          t,
          whole,
          SORT_HOLDS,
          async () => ({ up: await read('ASC'), down: await read('DESC') }),
          (around, lists) =>
            notAnswered(lists.up, `sort_field=${sort}`) ??
            notAnswered(lists.down, `sort_field=${sort}`) ??
            instances.sorting.inOrderOverPages(t, sort, lists, around),
        );
      }
    },
  );

  test(
    'a sort by cost keeps its items over pages where costs rest',
    { judges: [SORT_HOLDS, KEEPS_ITEMS] },
    async (t) => {
      // Stopped instances have constant costs, so their order is stable.
      const part = { ...(await boundedSubset(t)), status: 'stopped' };
      const whole = wholeOf(t, instances, part, { mostPages: 1 });
      const { ids } = await requireItems(whole, 2, 'instances');
      const options = { size: Math.ceil(ids.length / 2), mostPages: 3 };
      const read = async (sort_direction: SortDirection) =>
        readInstances(t.api, { ...part, sort_field: 'CURRENT_COST', sort_direction }, options);
      const { inOrderOverPages } = instances.sorting;
      const seen = await compareOne(
        t,
        whole,
        async () => ({ up: await read('ASC'), down: await read('DESC') }),
        (around, lists) => [
          {
            requirement: SORT_HOLDS,
            judgement: inOrderOverPages(t, 'CURRENT_COST', lists, around),
          },
          ...[lists.up, lists.down].map((list) => ({
            requirement: KEEPS_ITEMS,
            judgement: keepsOverPages('CURRENT_COST', around, list),
          })),
        ],
      );
      const lack = 'no two stopped instances differ by cost, or they changed each time';
      lacking(t, [SORT_HOLDS, KEEPS_ITEMS], seen, lack);
    },
  );

  test(
    'filters hold beside every sort on the second page',
    { judges: [of('filter-on-later-pages')] },
    async (t) => {
      const whole = wholeOf(t, instances);
      const { records } = await requireItems(whole, 2, 'instances');
      // All filters together: a dropped filter admits items that only the other filters select.
      const filterable = records.filter(isFilterable);
      const shared = mostShared(filterable, ['status', 'region', 'gpu_type']);
      if (shared.count < 2) {
        throw new NotExercised('no two instances share a state, a region and a GPU model');
      }
      const { status, region, gpu_type } = shared.values;
      const filter = { status: filterOfState(status), region, gpu_type };
      const matches = (record: WireRecord) =>
        record['status'] === status &&
        record['region'] === region &&
        record['gpu_type'] === gpu_type;
      for (const [at, { field: sort_field }] of instances.sorting.fields.entries()) {
        // The first sort has a full page between its first and its last one, after which a walk may end too early.
        const half = at === 0 ? (shared.count - 1) / 2 : (shared.count + 1) / 2;
        const size = Math.min(199, Math.max(1, Math.floor(half)));
        const query = { ...filter, sort_field, ...(at % 2 === 1 && { sort_direction: 'ASC' }) };
        const filtered = `${JSON.stringify(query)} over several pages`;
        await judgeAround(
          t,
          whole,
          of('filter-on-later-pages'),
          async () => readInstances(t.api, query, { size, mostPages: FILTERED_PAGES }),
          ({ before, after }, part) => {
            // A walk may miss items that move, so no item is expected for these sorts.
            const known = movingSorts.has(sort_field) ? { ...before, records: [] } : before;
            return selects({ before: known, after, part, matches, filter: filtered, sorted: true });
          },
        );
      }
    },
  );
});
