/** Laws of filters: each selects its items, alone and with other parameters, on the first page and on later ones. */

import { answeredWith } from '../../../harness/checks/compute/answers.ts';
import {
  LATER_PAGES,
  PAGES_TO_THE_END,
  conclusivePages,
} from '../../../harness/checks/collection/chosen-values.ts';
import { inListOrder, selectsNone } from '../../../harness/checks/collection/filter.ts';
import { nothingEnds } from '../../../harness/checks/collection/bracket.ts';
import { disjoint } from '../../../harness/checks/collection/walk.ts';
import type { WireRecord } from '../../../harness/checks/compute/records.ts';
import {
  type Collection,
  type Context,
  type Define,
  type Filter,
  type FilterValue,
  type Id,
  compareOne,
  filtersOf,
  lacking,
  parameterOf,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import type {
  Listing,
  ListingOptions,
  ListQuery,
} from '../../../harness/drivers/collection/reading.ts';
import {
  reportVerdicts,
  requireItems,
  type WholeList,
} from '../../../harness/drivers/collection/whole-list.ts';
import { NotExercised } from '../../../harness/runner/case.ts';
import { goodValues } from './bounds.ts';

/** Number of values of one filter to try on the smallest page, and on later pages. */
const COMPARED_VALUES = 4;
const mostPages = LATER_PAGES + PAGES_TO_THE_END;

interface Asked {
  /** The requirement to judge (default: the filter's own). */
  readonly id?: Id;
  readonly whole?: WholeList;
  readonly beside?: ListQuery;
  readonly options?: ListingOptions;
}

/** Ties found so far, by session. After enough of them, differences in order count as ties without dating the items. */
const tiesOf = new WeakMap<object, number>();
const TIES_THAT_CONVINCE = 2;

/** Reads a query, and tells whether its order differs from that of the whole list only by ties. */
export async function readInOrder(
  t: Context,
  c: Collection,
  whole: WholeList,
  query: ListQuery,
  options: ListingOptions = {},
): Promise<{ readonly part: Listing; readonly isTied: boolean }> {
  const part = await c.read(t, query, options);
  const ties = tiesOf.get(t.session) ?? 0;
  if (ties >= TIES_THAT_CONVINCE) return { part, isTied: true };
  const isTied = await c.isTied(t, (await whole.known()).ids, part.ids);
  if (isTied) tiesOf.set(t.session, ties + 1);
  return { part, isTied };
}

/** A predicate for the records that a filter value selects. */
function meantBy(t: Context, c: Collection, { member }: Filter, { shown }: FilterValue) {
  return (record: WireRecord): boolean => c.valueOf(t, record, member) === shown;
}

/** Judges one filter against the whole list, or the part that `beside` selects. Returns its result if it was conclusive. */
export async function judgeFilter(
  t: Context,
  c: Collection,
  filter: Filter,
  value: FilterValue,
  { id = value.id, beside = {}, options = {}, whole = wholeOf(t, c, beside) }: Asked = {},
): Promise<Listing | undefined> {
  const query = { ...beside, [parameterOf(t, filter)]: value.value };
  const sorted = beside['sort_field'] !== undefined;
  const isWhole = options.size === undefined && options.as === undefined;
  const order = isWhole && !sorted ? c.filteredOrder : undefined;
  let given: { readonly part: Listing; readonly isTied: boolean } | undefined;
  const seen = await compareOne(
    t,
    whole,
    async () => {
      given =
        order === undefined
          ? { part: await c.read(t, query, options), isTied: false }
          : await readInOrder(t, c, whole, query, options);
      return given;
    },
    (around, { part, isTied }) => [
      {
        requirement: id,
        judgement: c.selects({
          ...around,
          part,
          matches: meantBy(t, c, filter, value),
          byRecord: true,
          filter: `${JSON.stringify(query)}${part.exchanges.length > 1 ? ` (over ${part.exchanges.length} pages)` : ''}`,
          mustBeComplete: value.mustBeComplete !== false,
          sorted,
        }),
      },
      ...(order === undefined
        ? []
        : [{ requirement: order, judgement: inListOrder(around, part, isTied) }]),
    ],
  );
  return seen.has(id) ? given?.part : undefined;
}

/** Judges that no item is in two parts. If the known parts share one, it reads all parts again in a row. */
async function judgeDisjoint(
  t: Context,
  c: Collection,
  id: Id,
  known: readonly { readonly query: ListQuery; readonly part: Listing }[],
): Promise<void> {
  const apart = (parts: readonly Listing[]) =>
    parts.flatMap((first, index) =>
      parts
        .slice(index + 1)
        .map((second) => ({ requirement: id, judgement: disjoint(first, second, first) })),
    );
  const read = async () => {
    const parts = [];
    for (const { query } of known) parts.push(await c.read(t, query));
    return parts;
  };
  const first = apart(known.map(({ part }) => part));
  const verdicts = first.some(({ judgement }) => judgement.violations.length > 0)
    ? await wholeOf(t, c).compare(read, (_, parts) => apart(parts))
    : first;
  lacking(t, [id], reportVerdicts(t, verdicts), `there are no ${c.what} under two of the values`);
}

/** Each filter alone: what it selects, also on the smallest page, and values that select nothing. */
export function filters(test: Define, c: Collection): void {
  for (const filter of c.filters) {
    const { name, ids, disjoint: apart, absent = [] } = filter;
    const more = [c.filteredOrder, apart].filter((id) => id !== undefined);
    test(`the filter by ${name} gives what it means`, { judges: [...ids, ...more] }, async (t) => {
      const whole = wholeOf(t, c);
      const { records } = await requireItems(whole, 1, c.what);
      const conclusive = new Set<Id>();
      const parts = [];
      for (const [index, value] of t.some(filter.values(t, records), 8, 8).entries()) {
        const part = await judgeFilter(t, c, filter, value, { whole });
        if (part !== undefined) {
          conclusive.add(value.id);
          parts.push({ query: { [parameterOf(t, filter)]: value.value }, part });
        }
        if (index >= COMPARED_VALUES) continue;
        // A sort beside the filter on the smallest page, another one for each value.
        const { field: sort_field } = c.sorting.fields[index % c.sorting.fields.length] ?? {};
        const options = { size: 1, mostPages: 1 };
        await judgeFilter(t, c, filter, value, { whole, beside: { sort_field }, options });
      }
      const lack = `no ${c.what} have such a ${name}, or they changed each time`;
      lacking(t, ids, conclusive, lack);
      if (apart !== undefined) await judgeDisjoint(t, c, apart, parts);
    });

    for (const { id, what, values, answers } of absent) {
      const judged: readonly [Id, ...Id[]] = answers === undefined ? [id] : [id, answers.id];
      test(`a ${name} that is ${what} selects nothing`, { judges: judged }, async (t) => {
        const whole = await requireItems(wholeOf(t, c), 1, c.what);
        const parameter = parameterOf(t, filter);
        const others = goodValues(t, c).filter((query) => !(parameter in query));
        for (const [at, value] of t.some(values(t, whole.records), 2, 12).entries()) {
          const part = await c.read(t, { [parameter]: value });
          t.judge(id, selectsNone(whole, part, `${parameter}=${value}`));
          const among = { ...others[at % others.length], [parameter]: value };
          t.judge(id, selectsNone(whole, await c.read(t, among), JSON.stringify(among)));
          if (c.walks.ends !== undefined) t.judge(c.walks.ends, nothingEnds(part, whole));
          const [page] = part.exchanges;
          if (page === undefined || answers === undefined) continue;
          const asked = `The filter ${parameter}=${value}`;
          t.judge(answers.id, answeredWith(page, answers.statuses, asked));
        }
      });
    }
  }
}

/**
 * For each requirement, the most conclusive filter value: it selects some of the items that `asked` selects, excludes
 * others if it can, and would select the most of `all` if the server forgot what was asked.
 */
function conclusiveFilters(
  t: Context,
  c: Collection,
  all: readonly WireRecord[],
  records: readonly WireRecord[],
  asked: ListQuery,
) {
  const found = new Map<string, { readonly filter: Filter; readonly value: FilterValue }>();
  for (const filter of filtersOf(t, c)) {
    if (parameterOf(t, filter) in asked) continue;
    const counted = filter.values(t, records).map((value) => {
      const [meant = 0, forgetting = 0] = [records, all].map(
        (list) => list.filter(meantBy(t, c, filter, value)).length,
      );
      return { value, meant, apart: Math.sign(records.length - meant), more: forgetting - meant };
    });
    const conclusive = counted.toSorted((a, b) => b.apart - a.apart || b.more - a.more);
    for (const { value, meant, apart, more } of conclusive) {
      if (meant === 0 || apart + more === 0 || value.mustBeComplete === false) continue;
      const name = `${filter.name} ${value.id}`;
      if (!found.has(name)) found.set(name, { filter, value });
    }
  }
  return [...found.values()];
}

/** With other queries, each filter selects its items from their results. */
export function filtersBeside(
  test: Define,
  c: Collection,
  besides: (t: Context, records: readonly WireRecord[]) => readonly ListQuery[],
): void {
  const [first = c.answers.id, ...others] = c.filters.flatMap(({ ids }) => ids);
  const judges = [first, ...others] as const;
  test('each filter counts beside other filters, searches and sorts', { judges }, async (t) => {
    const part = await c.part(t);
    const { records } = await requireItems(wholeOf(t, c, part), 2, c.what);
    const conclusive = new Set<Id>();
    const queries = t.some(besides(t, records));
    const sorts = queries.filter((query) => 'sort_field' in query).length;
    for (const [index, query] of queries.entries()) {
      const beside = { ...part, ...query };
      // A sort selects nothing, so one of them is enough for each filter.
      const isSort = ['sort_field', 'sort_direction'].some((name) => name in query);
      const whole = wholeOf(t, c, isSort ? part : beside);
      const candidates = conclusiveFilters(t, c, records, (await whole.known()).records, beside);
      const isAll = !isSort || t.thorough;
      const tried = candidates.filter((_, at) => isAll || at % sorts === index % sorts);
      for (const { filter, value } of tried) {
        const given = await judgeFilter(t, c, filter, value, { beside, whole });
        if (given !== undefined) conclusive.add(value.id);
      }
    }
    const lack = `of nothing that was asked for a filter leaves out some ${c.what}`;
    lacking(t, judges, conclusive, lack);
  });
}

/** The filter value and page size for which most later pages would show a dropped filter. */
function mostConclusive(
  t: Context,
  c: Collection,
  filter: Filter,
  values: readonly FilterValue[],
  records: readonly WireRecord[],
): { readonly value: FilterValue; readonly size: number } | undefined {
  const [best] = values
    .filter(({ mustBeComplete }) => mustBeComplete !== false)
    .flatMap((value) => {
      const pages = conclusivePages(records.map(meantBy(t, c, filter, value)), LATER_PAGES);
      return pages === undefined ? [] : [{ value, ...pages }];
    })
    .toSorted((one, other) => other.conclusive - one.conclusive);
  return best;
}

/** Filters on later pages: each with several values, and the most conclusive one also with other queries. */
export function filtersOnLaterPages(test: Define, c: Collection): void {
  const id = `compute.${c.paging}.filter-on-later-pages` as const;
  test('a filter holds on the second page and after', { judges: [id] }, async (t) => {
    const whole = wholeOf(t, c);
    const { records } = await requireItems(whole, 2, c.what);
    let tried = 0;
    for (const filter of t.some(filtersOf(t, c))) {
      const values = filter.values(t, records);
      const best = mostConclusive(t, c, filter, values, records);
      const others = values.filter((value) => value !== best?.value).slice(0, COMPARED_VALUES - 1);
      for (const value of t.some(best === undefined ? others : [best.value, ...others], 1)) {
        const half = Math.ceil(records.filter(meantBy(t, c, filter, value)).length / 2);
        const size = value === best?.value ? best.size : Math.min(199, half);
        if (size === 0) continue;
        tried += 1;
        await judgeFilter(t, c, filter, value, { id, whole, options: { size, mostPages } });
      }
      if (best === undefined) continue;
      for (const query of c.beside.overPages) {
        const options = { size: best.size, mostPages };
        await judgeFilter(t, c, filter, best.value, { id, whole, beside: query, options });
      }
    }
    if (tried === 0) throw new NotExercised(`no ${c.what} have what can be filtered by`);
  });
}
