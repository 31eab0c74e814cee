/** What keeps holding on later pages of sorted lists: the order, the items, and the filters beside it. */

import { statusFilters } from '../../schemas/compute/list-instances.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import { keepsOverPages } from '../../harness/checks/collection/sorts.ts';
import { mostShared } from '../../harness/checks/collection/chosen-values.ts';
import type { WireRecord } from '../../harness/checks/compute/records.ts';
import { notAnswered, selects } from '../../harness/checks/collection/filter.ts';
import type { SortDirection } from '../../harness/checks/collection/order.ts';
import { readInstances } from '../../harness/drivers/collection/reading.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { boundedSubset } from '../../harness/drivers/collection/dating.ts';
import { having, tell, wholeInstances } from '../../harness/drivers/collection/whole-list.ts';
import { instances } from './collections.ts';
import { sortsOnLaterPages } from './laws/sorts.ts';
import { NotExercised } from '../../harness/runner/case.ts';

/** Sorts that are walked by the largest pages: what sorts some rows alone does so for all fields. */
const sortsOfMany = ['NAME', 'HOURLY_RATE'] as const;
const LARGEST_PAGE = 200;

/** What moves in the order while it is walked may be missed. */
const movingSorts = new Set(['CURRENT_COST', 'HOURLY_RATE']);

const SORT_HOLDS = 'compute.pagination.sort-on-later-pages' as const;
const KEEPS_ITEMS = 'compute.list-instances.sort-keeps-items' as const;

/** Pages of a filtered walk, one more for an empty last one. */
const FILTERED_PAGES = 4;

/** The filter of each state that can be filtered by and that the default list shows. */
const filterOf: ReadonlyMap<unknown, string> = new Map(
  Object.entries(statusFilters)
    .filter(([, state]) => state !== 'TERMINATED')
    .map(([value, state]) => [state, value]),
);
const codes: ReadonlySet<unknown> = new Set(regionCodes);

export default computeSection('pagination', (test) => {
  sortsOnLaterPages(test, instances);

  test(
    'a sort of more than the largest page holds on the second one',
    { judges: [SORT_HOLDS], requests: 12 },
    async (t) => {
      const whole = wholeInstances(t);
      const { ids } = await whole.known();
      if (ids.length <= LARGEST_PAGE) throw new NotExercised('one page shows the whole account');
      for (const sort of sortsOfMany) {
        const read = async (sort_direction: SortDirection) =>
          readInstances(t.api, { sort_field: sort, sort_direction }, { mostPages: 2 });
        const verdicts = await whole.againstOne(
          async () => ({ up: await read('ASC'), down: await read('DESC') }),
          (around, lists) => [
            {
              requirement: SORT_HOLDS,
              judgement:
                notAnswered(lists.up, `sort_field=${sort}`) ??
                notAnswered(lists.down, `sort_field=${sort}`) ??
                instances.sorting.inOrderOverPages(t, sort, lists, around),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'a sort by cost keeps its items over pages where costs rest',
    { judges: [SORT_HOLDS, KEEPS_ITEMS], requests: 8 },
    async (t) => {
      // Only runs cost something from moment to moment: among what is stopped nothing moves.
      const part = { ...(await boundedSubset(t)), status: 'stopped' };
      const whole = wholeInstances(t, part, { mostPages: 1 });
      const { ids } = await having(whole, 2, 'instances');
      const options = { size: Math.ceil(ids.length / 2), mostPages: 3 };
      const read = async (sort_direction: SortDirection) =>
        readInstances(t.api, { ...part, sort_field: 'CURRENT_COST', sort_direction }, options);
      const verdicts = await whole.againstOne(
        async () => ({ up: await read('ASC'), down: await read('DESC') }),
        ({ before, after }, lists) => [
          {
            requirement: SORT_HOLDS,
            judgement: instances.sorting.inOrderOverPages(t, 'CURRENT_COST', lists, {
              before,
              after,
            }),
          },
          ...[lists.up, lists.down].map((list) => ({
            requirement: KEEPS_ITEMS,
            judgement: keepsOverPages('CURRENT_COST', { before, after }, list),
          })),
        ],
      );
      tell(t, verdicts);
      for (const id of [SORT_HOLDS, KEEPS_ITEMS]) {
        const own = verdicts.filter(({ requirement }) => requirement === id);
        if (own.every(({ judgement }) => judgement.seen === 0)) {
          t.notExercised(id, 'no two stopped instances differ by cost, or they changed each time');
        }
      }
    },
  );

  test(
    'filters hold beside every sort on the second page',
    { judges: ['compute.pagination.filter-on-later-pages'], requests: 16 },
    async (t) => {
      const whole = wholeInstances(t);
      const { records } = await having(whole, 2, 'instances');
      // All filters at once: one that is dropped lets in what the others let in.
      const shared = mostShared(
        records.filter(({ status, region }) => filterOf.has(status) && codes.has(region)),
        ['status', 'region', 'gpu_type'],
      );
      if (shared.count < 2) {
        throw new NotExercised('no two instances share a state, a region and a GPU model');
      }
      const { status, region, gpu_type } = shared.values;
      const filter = { status: filterOf.get(status), region, gpu_type };
      const matches = (record: WireRecord) =>
        record['status'] === status &&
        record['region'] === region &&
        record['gpu_type'] === gpu_type;
      const size = Math.min(199, Math.ceil(shared.count / 2));
      for (const { field: sort_field } of instances.sorting.fields) {
        const query = { ...filter, sort_field };
        const verdicts = await whole.againstOne(
          async () => readInstances(t.api, query, { size, mostPages: FILTERED_PAGES }),
          ({ before, after }, part) => {
            // What moves in the order while it is walked may be missed.
            const known = movingSorts.has(sort_field) ? { ...before, records: [] } : before;
            return [
              {
                requirement: 'compute.pagination.filter-on-later-pages' as const,
                judgement: selects({
                  before: known,
                  after,
                  part,
                  matches,
                  filter: `${JSON.stringify(query)} over ${part.exchanges.length} pages`,
                  sorted: true,
                }),
              },
            ];
          },
        );
        tell(t, verdicts);
      }
    },
  );
});
