/** Filters of instances beside each other, beside date windows, searches and sorts. */

import { instances } from '../collections.ts';
import { wholeOf } from '../../../harness/drivers/collection/collection.ts';
import { readInOrder } from './filters.ts';
import { narrowing } from './filtering.ts';
import type { Define } from '../../../harness/drivers/collection/collection.ts';
import { regionCodes } from '../../../schemas/compute/regions.ts';
import {
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
  requireItems,
  judgeAround,
  reportVerdicts,
} from '../../../harness/drivers/collection/whole-list.ts';
import { inSet, boundedSubset } from '../../../harness/drivers/collection/instances.ts';
import { type ListQuery, readInstances } from '../../../harness/drivers/collection/reading.ts';
import type { ComputeContext } from '../../../harness/drivers/compute/session.ts';

const statuses = ['running', 'stopped', 'errored'] as const;
/** Distinct values of one field that are tried. */
const TRIED_VALUES = 4;

/** Every sort in both directions, and the direction alone. */
const sortsInTurn: readonly ListQuery[] = [
  ...Object.keys(instanceSortFields).flatMap((sort_field) =>
    sortDirections.map((sort_direction) => ({ sort_field, sort_direction })),
  ),
  { sort_direction: 'ASC' },
];

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
function conclusivePairs(
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

/** Judges whatever filters and sorts a property brings. */
async function judgeQuery(
  t: ComputeContext,
  judge: ComputeContext['judge'],
  { whole, shown }: { readonly whole: WholeList; readonly shown: ListQuery },
  query: InstanceQuery,
): Promise<void> {
  const asked = { ...shown, ...query };
  const sorted = query.sort_field !== undefined;
  const verdicts = await whole.compareOne(
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
  reportVerdicts({ judge }, verdicts);
}

/** Filters together give what each gives alone. */
export function filtersCombined(test: Define): void {
  test(
    'windows and searches count beside sorts, and beside each other',
    { judges: [COMBINES, ORDERED] },
    async (t) => {
      const shown = await boundedSubset(t);
      const whole = wholeOf(t, instances, shown);
      const { records } = await requireItems(whole, 2, 'instances');
      const { windows, searches } = await narrowing(t, records);
      const filters = [...windows, ...searches.slice(0, 1)];
      for (const [index, filter] of t.some(filters, 1).entries()) {
        const sort_field = (['NAME', 'HOURLY_RATE', 'STATUS'] as const)[index];
        const query = { ...shown, ...filter };
        const sorts = [{ sort_field, sort_direction: 'ASC' }, { sort_field: 'CURRENT_COST' }];
        const sorted = sorts.map((sort) => ({ ...query, ...sort }));
        await judgeBeside(t, wholeOf(t, instances, query), sorted, async () => () => true);
      }
      for (const search of t.some(searches, 1, 1)) {
        const query = { ...shown, ...search };
        // What a search gives first is no matter of taste: no sort was asked for.
        await judgeAround(
          t,
          whole,
          ORDERED,
          async () => readInOrder(t, instances, whole, query),
          (around, { part, isTied }) => inListOrder(around, part, isTied),
        );
        for (const window of windows) {
          const meaning = async () => inSet(t, { ...shown, ...window });
          await judgeBeside(t, wholeOf(t, instances, query), [{ ...query, ...window }], meaning);
        }
      }
    },
  );

  test(
    'filters together give what each gives alone, however the list is sorted',
    { judges: [COMBINES] },
    async (t) => {
      const shown = await boundedSubset(t);
      const whole = wholeOf(t, instances, shown);
      const { records } = await requireItems(whole, 1, 'instances');
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
      const pairs = conclusivePairs(records, values);
      for (const [index, sort] of t.some(sortsInTurn).entries()) {
        const tried =
          t.thorough || index === sortsInTurn.length - 1
            ? pairs
            : [pairs[(index + 1) % pairs.length]];
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
