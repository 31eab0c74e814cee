/** GET /instances: filters beside each other, beside date windows, searches and sorts. */

import { regionCodes } from '../../schemas/compute/regions.ts';
import {
  freeTextLength,
  instanceSortFields,
  sortDirections,
  statusFilters,
} from '../../schemas/compute/list-instances.ts';
import { distinctTexts, matchesQuery } from '../../harness/checks/compute/instance-query.ts';
import { type WireRecord, idsOf, textOf } from '../../harness/checks/compute/records.ts';
import { selects } from '../../harness/checks/compute/selection.ts';
import { type InstanceQuery, instanceQuery } from '../../harness/generate/instance-query.ts';
import type { WholeList } from '../../harness/session/compute/against.ts';
import { findSpan, instant } from '../../harness/session/compute/dating.ts';
import { type ListQuery, readInstances } from '../../harness/session/compute/listing.ts';
import { type ComputeContext, computeSection } from '../../harness/session/compute/session.ts';
import { surveyable } from '../../harness/session/compute/surveyable.ts';
import { having, tell, wholeInstances } from '../../harness/session/compute/whole-lists.ts';

const statuses = ['running', 'stopped', 'errored'] as const;
/** Distinct values of one field that are tried. */
const TRIED_VALUES = 4;

/** Filters by the state that they select; whether terminated instances stay listed is open. */
const statusOf: Readonly<Record<string, string>> = {
  RUNNING: 'running',
  STOPPED: 'stopped',
  ERRORED: 'errored',
};

/** Judges one more filter beside others, against what those give alone; `meaning` is asked before and after. */
async function judgeBeside(
  t: ComputeContext,
  list: WholeList,
  beside: ListQuery,
  filter: ListQuery,
  meaning: () => Promise<(record: WireRecord) => boolean>,
): Promise<void> {
  const query = { ...beside, ...filter };
  const verdicts = await list.againstOne(
    async () => {
      const earlier = await meaning();
      const part = await readInstances(t.api, query);
      const later = await meaning();
      return { part, matches: (record: WireRecord) => earlier(record) || later(record) };
    },
    (around, { part, matches }) => [
      {
        requirement: 'compute.list-instances.filters-combine' as const,
        judgement: selects({ ...around, part, matches, filter: JSON.stringify(query) }),
      },
    ],
  );
  tell(t, verdicts);
}

/** Whether an instance is among those that a query gives now. */
async function among(
  t: ComputeContext,
  query: ListQuery,
): Promise<(record: WireRecord) => boolean> {
  const { ids } = await readInstances(t.api, query);
  const inside = new Set(ids);
  return (record) => idsOf([record]).some((id) => inside.has(id));
}

export default computeSection('list-instances', (test) => {
  test(
    'filters beside a date window or a search give what they give of it',
    { judges: ['compute.list-instances.filters-combine'], requests: 50 },
    async (t) => {
      const shown = await surveyable(t);
      const { ids, records } = await having(wholeInstances(t, shown), 2, 'instances');
      const { from, to } = await findSpan(t.api, ids);
      const middle = instant(Math.floor((from + to) / 2));
      const windows = [{ date_range_begin: middle }, { date_range_end: middle }] as const;
      const searches = distinctTexts(records, 'gpu_type')
        .slice(0, 2)
        .map((text) => ({ free_text_search: text.slice(0, freeTextLength) }));
      for (const beside of [...windows, ...searches]) {
        const list = wholeInstances(t, { ...shown, ...beside });
        const part = await list.known();
        for (const field of ['status', 'region', 'gpu_type'] as const) {
          const value = distinctTexts(part.records, field).find(
            (one) =>
              (field !== 'status' || one in statusOf) &&
              (field !== 'region' || regionCodes.some((code) => code === one)) &&
              part.records.some((record) => record[field] !== one),
          );
          if (value === undefined) continue;
          const filter = { [field]: field === 'status' ? statusOf[value] : value };
          await judgeBeside(
            t,
            list,
            { ...shown, ...beside },
            filter,
            async () => (record) => record[field] === value,
          );
        }
      }
      for (const search of searches) {
        const list = wholeInstances(t, { ...shown, ...search });
        for (const window of windows) {
          await judgeBeside(t, list, { ...shown, ...search }, window, async () =>
            among(t, { ...shown, ...window }),
          );
        }
      }
    },
  );

  test(
    'filters together give what each gives alone, however the list is sorted',
    { judges: ['compute.list-instances.filters-combine'], requests: 30 },
    async (t) => {
      const shown = await surveyable(t);
      const whole = wholeInstances(t, shown);
      const { records } = await having(whole, 1, 'instances');
      const present = new Set(records.map((record) => textOf(record, 'status')));
      const values = {
        // Whether terminated instances stay listed is open: only what both lists show is combined.
        statuses: statuses.filter((status) => present.has(statusFilters[status])),
        regions: distinctTexts(records, 'region').filter((region) =>
          regionCodes.some((code) => code === region),
        ),
        gpuTypes: distinctTexts(records, 'gpu_type').slice(0, TRIED_VALUES),
        sortFields: Object.keys(instanceSortFields).filter((field) => field !== 'CURRENT_COST'),
      };
      const judgeQuery = async (query: InstanceQuery) =>
        whole.againstOne(
          async () => readInstances(t.api, { ...shown, ...query }),
          (around, part) => [
            {
              requirement: 'compute.list-instances.filters-combine' as const,
              judgement: selects({
                ...around,
                part,
                matches: (record) => matchesQuery(record, query),
                filter: JSON.stringify(query),
                sorted: query.sort_field !== undefined,
              }),
            },
          ],
        );
      // A filter beside every sort, then whatever comes up.
      const none = { status: undefined, region: undefined, gpu_type: undefined };
      for (const sort_field of values.sortFields) {
        for (const sort_direction of sortDirections) {
          const query = { ...none, region: values.regions[0], sort_field, sort_direction };
          tell(t, await judgeQuery(query));
        }
      }
      await t.property('filters and sorts', instanceQuery(values), async (query, judge) => {
        tell({ judge }, await judgeQuery(query));
      });
    },
  );
});
