/**
 * Combinations of instance filters, any two kinds in several combinations and with conclusive values: they select what
 * every one of them selects alone, in the order of the list.
 */

import { instanceSortFields, statusFilters } from '../../../schemas/compute/list-instances.ts';
import {
  codesIn,
  distinctTexts,
  matchesQuery,
} from '../../../harness/checks/collection/chosen-values.ts';
import { hasWord, isSearchable } from '../../../harness/checks/collection/search.ts';
import { idOf, textOf, type WireRecord } from '../../../harness/checks/compute/records.ts';
import {
  boundedSubset,
  inSet,
  wholeInstances,
} from '../../../harness/drivers/collection/instances.ts';
import type { ListQuery } from '../../../harness/drivers/collection/reading.ts';
import { requireItems } from '../../../harness/drivers/collection/whole-list.ts';
import type { ComputeContext } from '../../../harness/drivers/compute/session.ts';
import { Experiment, isUnseen } from '../../../harness/runner/case.ts';
import { halvesOf } from '../../../harness/generate/lists.ts';
import { searches, windowBounds } from './filtering.ts';
import { inListOrder, selects } from '../../../harness/checks/collection/filter.ts';
import {
  type Collection,
  compareOne,
  type Define,
  type Id,
  lacking,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import { readInOrder } from './filters.ts';

/** `terminated` is absent, since the contract does not say whether the unfiltered list shows terminated instances. */
const statuses = ['running', 'stopped', 'errored'] as const;
const TRIED_VALUES = 4;
/** So many kinds of filters are combined as they are; more of them by halves. */
const COMBINED_KINDS = 3;

/** One filter with a value, and which records it selects alone. */
interface Condition {
  readonly query: ListQuery;
  readonly means: (record: WireRecord) => boolean;
}

/** A filter with a value, and the records that it excludes from the compared part. */
interface Tried {
  readonly query: ListQuery;
  readonly leavesOut: ReadonlySet<WireRecord>;
}

type Kind = readonly Tried[];

/** Filters by data that records do not show; the list that each selects alone defines its meaning. */
const unshown = ['date_range_begin', 'date_range_end', 'free_text_search'];

/** What one filter selects alone, from the last read or from a new one. */
async function conditionOf(
  t: ComputeContext,
  shown: ListQuery,
  query: ListQuery,
  isReadAnew = false,
): Promise<Condition> {
  if (!unshown.some((name) => name in query)) {
    return { query, means: (record) => matchesQuery(record, query) };
  }
  // The part has bounds: a search that is forgotten beside these would mean everything, unless it is read without them.
  const isShort =
    'free_text_search' in query && (await wholeInstances(t, query).known()).end === 'last-page';
  const alone = isShort ? query : { ...shown, ...query };
  if (isReadAnew) return { query, means: await inSet(t, alone) };
  const inside = new Set((await wholeInstances(t, alone).known()).ids);
  return { query, means: (record) => inside.has(idOf(record)) };
}

/** The bounds of date windows; none if the dates of the account are inconclusive. */
async function tellingBounds(t: ComputeContext) {
  try {
    return await windowBounds(t);
  } catch (error) {
    if (!isUnseen(error)) throw error;
    return [];
  }
}

/** How conclusive a sort of a list in default order is: 2 if the list is unordered, 1 if descending, 0 if ascending. */
function disorder(records: readonly WireRecord[], member: string): 0 | 1 | 2 {
  const steps = records.slice(1).map((record, index) => {
    const [key, next] = [records[index]?.[member], record[member]];
    if (typeof key === 'number' && typeof next === 'number') return next - key;
    return typeof key === 'string' && typeof next === 'string' ? next.localeCompare(key) : 0;
  });
  if (steps.every((step) => step >= 0)) return 0;
  return steps.some((step) => step > 0) ? 2 : 1;
}

/** The most conclusive combination of one value for each kind of filter, among several selections of kinds. */
function mostConclusive(
  selections: readonly (readonly Kind[])[],
  records: readonly WireRecord[],
  sortedBy?: string,
): readonly ListQuery[] {
  // Filters score by the items that only one of them excludes; a sort scores by its reordering and the number of filters.
  const score = (conditions: readonly Tried[]): number => {
    const leaving = records.map((record) =>
      conditions.filter(({ leavesOut }) => leavesOut.has(record)),
    );
    const conclusive = new Set(leaving.flatMap((those) => (those.length === 1 ? those : []))).size;
    const given = records.filter((_, index) => leaving[index]?.length === 0);
    if (sortedBy === undefined) return 3 * conclusive + Math.min(2, given.length);
    return 20 * disorder(given, sortedBy) + 8 * conditions.length + conclusive;
  };
  const [best] = selections
    .flatMap((kinds) =>
      kinds.reduce<readonly (readonly Tried[])[]>(
        (found, kind) => found.flatMap((chosen) => kind.map((one) => [...chosen, one])),
        [[]],
      ),
    )
    .map((conditions) => ({ conditions, score: score(conditions) }))
    .toSorted((one, other) => other.score - one.score);
  return best?.conditions.map(({ query }) => query) ?? [];
}

/** For each kind of filter a search for a name beside it: some of what has the name matches the filter, and some does not. */
function besideNames(records: readonly WireRecord[], kinds: readonly (readonly ListQuery[])[]) {
  const named = distinctTexts(records, 'name')
    .filter((name) => hasWord(name) && isSearchable(name))
    .map((name) => ({ name, those: records.filter((one) => textOf(one, 'name') === name) }));
  return kinds.flatMap((queries) => {
    const pairs = named.flatMap(({ name, those }) =>
      queries.map((query) => {
        const inside = those.filter((record) => matchesQuery(record, query)).length;
        const pair = [query, { free_text_search: name }];
        return { pair, inside: Math.min(1, inside), outside: those.length - inside };
      }),
    );
    // A name that the filter leaves out altogether tells of a filter that is forgotten, too.
    const telling = pairs.filter(({ outside }) => outside > 0);
    return telling
      .toSorted((one, other) => other.inside - one.inside)
      .slice(0, 1)
      .map(({ pair }) => pair);
  });
}

/** The combinations of filters, each pair of kinds in several of them, and the part of the list that they select from. */
const combinations = new Experiment(async (t: ComputeContext) => {
  const shown = await boundedSubset(t);
  const { records } = await requireItems(wholeInstances(t, shown), 1, 'instances');
  const present = new Set(records.map((record) => textOf(record, 'status')));
  const shownKinds: readonly (readonly ListQuery[])[] = [
    statuses.filter((one) => present.has(statusFilters[one])).map((status) => ({ status })),
    codesIn(distinctTexts(records, 'region')).map((region) => ({ region })),
    distinctTexts(records, 'gpu_type')
      .slice(0, TRIED_VALUES)
      .map((gpu_type) => ({ gpu_type })),
  ];
  const kinds = [...shownKinds, ...(await tellingBounds(t)), searches(records)];
  const conditions = [];
  for (const queries of kinds.filter((kind) => kind.length > 0)) {
    const kind = [];
    for (const query of queries) {
      const { means } = await conditionOf(t, shown, query);
      kind.push({ query, leavesOut: new Set(records.filter((record) => !means(record))) });
    }
    conditions.push(kind);
  }
  const all = halvesOf(conditions);
  const ways = Array.from({ length: Math.ceil(all.length / 2) }, (_, at) => 2 * at);
  const halves = t.some(ways).flatMap((at) => all.slice(at, at + 2));
  // All kinds at once, too: a server may count the parameters of its query.
  const groups = conditions.length > COMBINED_KINDS ? [...halves, conditions] : halves;
  const combined = [
    ...groups.map((group) => mostConclusive([group], records)),
    ...besideNames(records, shownKinds),
  ];
  return { shown, records, halves, combined: combined.filter((queries) => queries.length > 1) };
});

/** Filters to combine with a sort, without the filter by its own member: two complementary halves, others for each sort. */
export async function besideSort(t: ComputeContext, field: string): Promise<readonly ListQuery[]> {
  const { shown, records, halves } = await combinations.of(t);
  const fields = Object.entries(instanceSortFields);
  const at = fields.findIndex(([name]) => name === field);
  const member = fields[at]?.[1] ?? field;
  const from = (2 * at) % Math.max(1, halves.length);
  return halves.slice(from, from + 2).map((half) => {
    const others = half.filter(([one]) => !(member in (one?.query ?? {})));
    const fewer = others.map((one) => others.filter((other) => other !== one));
    return Object.assign({}, shown, ...mostConclusive([others, ...fewer], records, member));
  });
}

const COMBINES = 'compute.list-instances.filters-combine' as const;
const ORDERED = 'compute.list-instances.newest-first-filtered' as const;

/** Combined filters select the intersection of their results. */
export function filtersCombined(test: Define, c: Collection): void {
  test(
    'filters together give what each gives alone, in the order of the list',
    { judges: [COMBINES, ORDERED] },
    async (t) => {
      const { shown, combined } = await combinations.of(t);
      const whole = wholeOf(t, c, shown);
      const seen = new Set<Id>();
      for (const queries of t.some(combined, 6)) {
        const query: ListQuery = Object.assign({}, shown, ...queries);
        let isReadAnew = false;
        const judged = compareOne(
          t,
          whole,
          async () => {
            const conditions = [];
            for (const one of queries)
              conditions.push(await conditionOf(t, shown, one, isReadAnew));
            isReadAnew = true;
            return { conditions, ...(await readInOrder(t, c, whole, query)) };
          },
          (around, { conditions, part, isTied }) => {
            const matches = (record: WireRecord) => conditions.every(({ means }) => means(record));
            const filter = JSON.stringify(query);
            return [
              { requirement: COMBINES, judgement: selects({ ...around, part, matches, filter }) },
              { requirement: ORDERED, judgement: inListOrder(around, part, isTied) },
            ];
          },
        );
        for (const id of await judged) seen.add(id);
      }
      lacking(
        t,
        [COMBINES, ORDERED],
        seen,
        'the instances differ in too little for two filters, or changed each time',
      );
    },
  );
}
