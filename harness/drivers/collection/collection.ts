/** The description of a paged collection for its laws, and comparisons of its responses with the whole list. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { Selection } from '../../checks/collection/filter.ts';
import type { WireRecord } from '../../checks/compute/records.ts';
import type { Judgement } from '../../checks/judgement.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type DefineCase, NotExercised, type TestContext } from '../../runner/case.ts';
import type { Around, Relate } from './comparison.ts';
import { reportVerdicts, type WholeList, wholeList } from './whole-list.ts';
import type { ComputeContext } from '../compute/api.ts';
import type { Listing, ListingOptions, ListQuery } from './reading.ts';

export type Context = ComputeContext;
export type Id = ComputeRequirementId;
export type Define = DefineCase<ComputeContext, ComputeRequirementId>;
type Query = Readonly<Record<string, string>>;

/** A member that a search looks into, and which of its texts are searched for. */
export interface Found {
  readonly member: string;
  readonly id: Id;
  /** Number of texts that are tried, unless more are needed to represent all of them. */
  readonly most: number;
  /** If set, only these texts are searched for, even short ones. */
  readonly codes?: readonly string[];
  /** A member; for each of its values one text is searched for. */
  readonly eachOf?: string;
  /** True where the text of a record may include a count that a search does not find. */
  readonly counted?: boolean;
}

export interface Search {
  /** Its parameter; undefined where the target file names none. */
  readonly parameter: (t: Context) => string | undefined;
  readonly members: readonly string[];
  readonly finds: readonly Found[];
  /** The requirement for searches on the second page and after. */
  readonly onLaterPages: Id;
  /** Texts that only other members have, and that resemble nothing that a search looks into. */
  readonly elsewhere: (t: Context, whole: Listing) => readonly string[];
}

/** How a collection sorts. */
export interface Sorting {
  readonly fields: readonly {
    readonly field: string;
    readonly id: Id;
    /** Pages of the walks that are checked for order. */
    readonly pages: number;
  }[];
  /** How much of a sorted list is read when only its order is checked. */
  readonly page: ListingOptions;
  /** A field whose two directions are compared with each other, with the member that it sorts by. */
  readonly reversed: readonly [field: string, member: string];
  /** Whether records show what a sort goes by (default true). */
  readonly isShown?: (t: Context, field: string) => boolean;
  /** Queries to combine with a sort: a server may ignore the sort beside one kind of query only. */
  readonly beside: (
    t: Context,
    records: readonly WireRecord[],
    field: string,
  ) => Promise<readonly ListQuery[]>;
  readonly inOrder: (t: Context, field: string, lists: Directions) => Judgement;
  readonly inOrderOverPages: (
    t: Context,
    field: string,
    lists: Directions,
    around: Around<Listing>,
  ) => Judgement;
  readonly keepsOverPages: (
    t: Context,
    field: string,
    around: Around<Listing>,
    list: Listing,
  ) => Judgement;
}

/** One sort, in both directions. */
export interface Directions {
  readonly up: Listing;
  readonly down: Listing;
}

/** One value that a filter is tried with. */
export interface FilterValue {
  readonly value: string;
  /** The value that the records show for it. */
  readonly shown: string;
  readonly id: Id;
  /** False where the filter may show items that the whole list leaves out (default true). */
  readonly mustBeComplete?: boolean;
}

/** An exact filter of a collection. */
export interface Filter {
  readonly name: string;
  /** The query parameter; undefined when the target file names none. */
  readonly parameter: (t: Context) => string | undefined;
  readonly member: string;
  readonly ids: readonly [Id, ...Id[]];
  readonly values: (t: Context, records: readonly WireRecord[]) => readonly FilterValue[];
  /** The requirement that no item matches two values. */
  readonly disjoint?: Id;
  /** Values that no item has, and the statuses with which such a filter may be answered. */
  readonly absent?: readonly {
    readonly id: Id;
    readonly what: string;
    readonly values: (t: Context, records: readonly WireRecord[]) => readonly string[];
    readonly answers?: { readonly id: Id; readonly statuses: readonly number[] };
  }[];
}

/** The walks of a collection, and the requirements that judge them. */
interface Walks {
  /** Page sizes, each with the most pages that are read: a large list is walked in part. */
  readonly sizes: readonly (readonly [id: Id, size: number | 'default', mostPages: number])[];
  /** The requirement for the order of walks with other sizes. */
  readonly anyOrder?: Id;
  readonly repeats: Id;
  readonly gaps?: Id;
  readonly ends?: Id;
  readonly weight: number;
  /** Queries for lists that are walked with page sizes that divide their length. */
  readonly exactly: (t: Context) => Promise<readonly ListQuery[]>;
}

export interface Collection {
  readonly slug: 'list-instances' | 'presets';
  /** Slug of the section that holds the requirements of its pages. */
  readonly paging: 'pagination' | 'presets';
  readonly call: 'list' | 'presets';
  readonly what: 'instances' | 'presets';
  readonly size: { readonly minimum: number; readonly maximum: number };
  readonly answers: {
    readonly id: Id;
    readonly judge: (answer: Exchange, what: string) => Judgement;
  };
  readonly defaultDirection: 'ASC' | 'DESC';
  readonly read: (t: Context, query?: ListQuery, options?: ListingOptions) => Promise<Listing>;
  /** A query whose result fits on one page, for a collection that is too large for one. */
  readonly part: (t: Context) => Promise<ListQuery>;
  /** Such a query for cases that need items that differ. */
  readonly varied: (t: Context) => Promise<ListQuery>;
  readonly itemsIn: (t: Context, page: Exchange) => readonly WireRecord[] | undefined;
  readonly namesOf: (t: Context, records: readonly WireRecord[]) => readonly string[];
  readonly valueOf: (t: Context, record: WireRecord, member: string) => unknown;
  /** True for a record that a list may leave out. */
  readonly mayHide: (record: WireRecord) => boolean;
  /** A query, extended by valid values for all parameters that it leaves out. */
  readonly withFilters: (t: Context, query: Query) => Query;
  readonly parameters: (t: Context) => readonly string[];
  /** Queries that are refused with 400, by the slug of the requirement. */
  readonly refused: (t: Context) => Readonly<Record<string, readonly Query[]>>;
  readonly filters: readonly Filter[];
  /** Compares what a query selected with the whole list. */
  readonly selects: (selection: Selection) => Judgement;
  /** The requirement that filtered lists come in the default order. */
  readonly filteredOrder?: Id;
  /** Whether two reads differ only in the order of items that were created at the same instant. */
  readonly isTied: (
    t: Context,
    expected: readonly string[],
    actual: readonly string[],
  ) => Promise<boolean>;
  readonly walks: Walks;
  readonly search: Search;
  readonly sorting: Sorting;
  readonly beside: Beside;
}

/** Queries that filters and searches are combined with. */
export interface Beside {
  /** Queries for filters that are walked over several pages. */
  readonly overPages: readonly ListQuery[];
  /** Queries for searches that are walked over several pages; `records` are those of the whole collection. */
  readonly searchesOverPages: (records: readonly WireRecord[]) => readonly ListQuery[];
}

/** The whole collection, or the result of a query: the first 800 items. */
export function wholeOf(
  t: Context,
  c: Collection,
  query: ListQuery = {},
  options: ListingOptions = {},
): WholeList {
  return wholeList(t, c.what, async (...asked) => c.read(t, ...asked), query, options);
}

/** The parameter of a filter or a search. Throws `NotExercised` where the target file names none. */
export function parameterOf(t: Context, { parameter }: Pick<Filter | Search, 'parameter'>): string {
  const name = parameter(t);
  if (name === undefined) throw new NotExercised('the target file names no parameter for it');
  return name;
}

/** The filters of a collection that have a parameter. */
export function filtersOf(t: Context, { filters }: Collection): readonly Filter[] {
  return filters.filter(({ parameter }) => parameter(t) !== undefined);
}

/** Marks the requirements of which nothing was seen as not exercised. */
export function lacking(
  t: Pick<TestContext<Id>, 'notExercised'>,
  ids: readonly Id[],
  seen: ReadonlySet<Id>,
  reason: string,
): void {
  for (const id of ids) if (!seen.has(id)) t.notExercised(id, reason);
}

type Compare = <Other>(
  t: Pick<TestContext<Id>, 'judge'>,
  list: WholeList,
  take: () => Promise<Other>,
  relate: Relate<Listing, Other, Id>,
) => Promise<ReadonlySet<Id>>;

/** Judges what `take` returns against the list around it; returns the requirements of which something was seen. */
export const compare: Compare = async (t, list, take, relate) =>
  reportVerdicts(t, await list.compare(take, relate));

/** Like `compare`, for one value of many: if the list never settles, nothing is reported for this value. */
export const compareOne: Compare = async (t, list, take, relate) =>
  reportVerdicts(t, await list.compareOne(take, relate));

/** Text of a member; `''` when it is no text. */
export function textOf(t: Context, c: Collection, record: WireRecord, member: string): string {
  const value = c.valueOf(t, record, member);
  return typeof value === 'string' ? value : '';
}

/** The distinct texts of a member, in order of appearance. */
export function textsOf(
  t: Context,
  c: Collection,
  records: readonly WireRecord[],
  member: string,
): readonly string[] {
  const texts = records.map((record) => textOf(t, c, record, member));
  return [...new Set(texts)].filter((text) => text !== '');
}
