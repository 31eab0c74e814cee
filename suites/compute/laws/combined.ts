/** Filters of instances beside each other, beside date windows, searches and sorts. */

import { instances } from '../collections.ts';
import { readInOrder } from './filters.ts';
import { tellingSpan } from './windows.ts';
import type { Define } from '../../../harness/drivers/collection/collection.ts';
import { regionCodes } from '../../../schemas/compute/regions.ts';
import {
  freeTextLength,
  instanceSortFields,
  sortDirections,
  statusFilters,
} from '../../../schemas/compute/list-instances.ts';
import { distinctTexts, matchesQuery } from '../../../harness/checks/collection/chosen-values.ts';
import { type WireRecord, textOf } from '../../../harness/checks/compute/records.ts';
import { type Selection, inListOrder, selects } from '../../../harness/checks/collection/filter.ts';
import {
  type InstanceQuery,
  type QueryValues,
  instanceQuery,
} from '../../../harness/generate/lists.ts';
import { type Judgement, notObserved, together } from '../../../harness/checks/judgement.ts';
import {
  type WholeList,
  boundedSubset,
  having,
  judgeAround,
  tell,
  wholeInstances,
} from '../../../harness/drivers/collection/whole-list.ts';
import {
  type ListQuery,
  among,
  readInstances,
} from '../../../harness/drivers/collection/reading.ts';
import { instant } from '../../../harness/drivers/collection/dating.ts';
import type { ComputeContext } from '../../../harness/drivers/compute/session.ts';

const statuses = ['running', 'stopped', 'errored'] as const;
/** Distinct values of one field that are tried. */
const TRIED_VALUES = 4;

/** Filters by the state that they select; whether terminated instances stay listed is open. */
const statusOf: Readonly<Record<string, string>> = {
  RUNNING: 'running',
  STOPPED: 'stopped',
  ERRORED: 'errored',
};

const COMBINES = 'compute.list-instances.filters-combine' as const;
const ORDERED = 'compute.list-instances.newest-first-filtered' as const;

/** What a filter means: asked before and after what it is held against. */
type Meaning = () => Promise<(record: WireRecord) => boolean>;

/** Judges one more filter beside others, or several sorts of one, against what those give alone. */
async function judgeBeside(
  t: ComputeContext,
  list: WholeList,
  queries: readonly ListQuery[],
  meaning: Meaning,
): Promise<void> {
  await judgeAround(
    t,
    list,
    COMBINES,
    async () => {
      const earlier = await meaning();
      const parts = [];
      for (const query of queries) parts.push(await readInstances(t.api, query));
      const later = await meaning();
      return { parts, matches: (record: WireRecord) => earlier(record) || later(record) };
    },
    (around, { parts, matches }) =>
      together(
        ...parts.map((part, index) => combined(queries[index] ?? {}, { ...around, part, matches })),
      ),
  );
}

/**
 * Costs move from page to page: then an instance may slip through between two. A direction without a field may be
 * refused: that is open.
 */
function combined(query: ListQuery, selection: Omit<Selection, 'filter' | 'sorted'>): Judgement {
  const { sort_field: field, sort_direction: direction } = query;
  const { end, exchanges } = selection.part;
  if (field === 'CURRENT_COST' && exchanges.length > 1) return notObserved;
  if (field === undefined && direction !== undefined && end === 'no-page') return notObserved;
  return selects({ ...selection, filter: JSON.stringify(query), sorted: field !== undefined });
}

/** A region beside a status, and one beside a GPU model: each leaves out some of what the other alone would give. */
function tellingPairs(
  records: readonly WireRecord[],
  { statuses: states, regions, gpuTypes }: Omit<QueryValues, 'sortFields'>,
): readonly ListQuery[] {
  const count = (query: ListQuery) =>
    records.filter((record) => matchesQuery(record, query)).length;
  const others = [
    states.map((status) => ({ status })),
    gpuTypes.map((gpu_type) => ({ gpu_type })),
  ] as const;
  return others.flatMap((kind: readonly ListQuery[]) =>
    regions
      .flatMap((region) => kind.map((other) => ({ pair: { region, ...other }, region, other })))
      .filter(({ pair, region, other }) => {
        const both = count(pair);
        return both > 0 && both < count({ region }) && both < count(other);
      })
      .map(({ pair }) => pair)
      .slice(0, 1),
  );
}

/** Judges a filter of each kind beside a window or a search that leaves out what another value would let in. */
async function judgeFilters(t: ComputeContext, beside: ListQuery): Promise<void> {
  const list = wholeInstances(t, beside);
  const { records } = await list.known();
  for (const field of ['status', 'region', 'gpu_type'] as const) {
    const value = distinctTexts(records, field).find(
      (one) =>
        (field !== 'status' || one in statusOf) &&
        (field !== 'region' || regionCodes.some((code) => code === one)) &&
        records.some((record) => record[field] !== one),
    );
    if (value === undefined) continue;
    const query = { ...beside, [field]: field === 'status' ? statusOf[value] : value };
    await judgeBeside(t, list, [query], async () => (record) => record[field] === value);
  }
}

/** Judges whatever filters and sorts a property brings. */
async function judgeQuery(
  t: ComputeContext,
  judge: ComputeContext['judge'],
  { whole, shown }: { readonly whole: WholeList; readonly shown: ListQuery },
  query: InstanceQuery,
): Promise<void> {
  const asked = { ...shown, ...query };
  const sorted = query.sort_field !== undefined;
  const verdicts = await whole.againstOne(
    // The order of a sorted list is no matter here, and its ties need no dates.
    async () =>
      sorted
        ? { part: await readInstances(t.api, asked), isTied: false }
        : readInOrder(t, instances, whole, asked),
    (around, { part, isTied }) => {
      const matches = (record: WireRecord) => matchesQuery(record, query);
      const filter = JSON.stringify(query);
      return [
        { requirement: COMBINES, judgement: selects({ ...around, part, matches, filter, sorted }) },
        ...(sorted ? [] : [{ requirement: ORDERED, judgement: inListOrder(around, part, isTied) }]),
      ];
    },
  );
  tell({ judge }, verdicts);
}

/** Filters together give what each gives alone. */
export function filtersCombined(test: Define): void {
  test(
    'filters beside a date window or a search give what they give of it',
    { judges: [COMBINES] },
    async (t) => {
      const shown = await boundedSubset(t);
      const { records } = await having(wholeInstances(t, shown), 2, 'instances');
      const { from, to } = await tellingSpan(t);
      // Of an account that is too large to be seen whole only its newest part is: a window narrows that and widens nothing.
      const first = Math.max(from, Date.parse(String(shown['date_range_begin'] ?? '')) || from);
      const middle = instant(Math.max(first, Math.floor((first + to) / 2)));
      const windows = [{ date_range_begin: middle }, { date_range_end: middle }] as const;
      // By a model and by a region: beside the one another model leaves nothing out, beside the other it does.
      const searches = (['gpu_type', 'region'] as const)
        .flatMap((field) => distinctTexts(records, field).slice(0, 1))
        .map((text) => ({ free_text_search: text.slice(0, freeTextLength) }));
      for (const beside of t.some([...windows, ...searches]))
        await judgeFilters(t, { ...shown, ...beside });
      const whole = wholeInstances(t, shown);
      for (const [index, filter] of t.some([...windows, ...searches.slice(0, 1)], 1).entries()) {
        const sort_field = (['NAME', 'HOURLY_RATE', 'STATUS'] as const)[index];
        const query = { ...shown, ...filter };
        await judgeBeside(
          t,
          whole,
          [
            { ...query, sort_field, sort_direction: 'ASC' },
            { ...query, sort_field: 'CURRENT_COST' },
          ],
          async () => among(t, query),
        );
      }
      for (const search of t.some(searches, 1, 1)) {
        // What a search gives first is no matter of taste: no sort was asked for.
        await judgeAround(
          t,
          whole,
          ORDERED,
          async () => readInOrder(t, instances, whole, { ...shown, ...search }),
          (around, { part, isTied }) => inListOrder(around, part, isTied),
        );
        const list = wholeInstances(t, { ...shown, ...search });
        for (const window of windows) {
          const query = { ...shown, ...search, ...window };
          await judgeBeside(t, list, [query], async () => among(t, { ...shown, ...window }));
        }
      }
    },
  );

  test(
    'filters together give what each gives alone, however the list is sorted',
    { judges: [COMBINES] },
    async (t) => {
      const shown = await boundedSubset(t);
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
      // Filters beside every sort in both directions, then whatever comes up.
      const turns: readonly ListQuery[] = [
        ...Object.keys(instanceSortFields).flatMap((sort_field) =>
          sortDirections.map((sort_direction) => ({ sort_field, sort_direction })),
        ),
        { sort_direction: 'ASC' },
      ];
      const pairs = tellingPairs(records, values);
      for (const [index, sort] of t.some(turns).entries()) {
        const tried =
          t.thorough || index === turns.length - 1 ? pairs : [pairs[(index + 1) % pairs.length]];
        for (const filter of tried.filter((pair) => pair !== undefined)) {
          const meaning = async () => (record: WireRecord) => matchesQuery(record, filter);
          await judgeBeside(t, whole, [{ ...shown, ...sort, ...filter }], meaning);
        }
      }
      await t.property(
        'filters and sorts',
        instanceQuery(values),
        async (query, judge) => judgeQuery(t, judge, { whole, shown }, query),
        { weight: 0.5 },
      );
    },
  );
}
