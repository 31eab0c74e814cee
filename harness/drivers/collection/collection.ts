/** What the laws of a paged collection are told about it, and how they hold its answers against the whole of it. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { Selection } from '../../checks/collection/filter.ts';
import type { WireRecord } from '../../checks/compute/records.ts';
import type { Judgement } from '../../checks/judgement.ts';
import type { UniversalJudgement } from '../../checks/universal.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type DefineCase, NotExercised, type TestContext } from '../../runner/case.ts';
import { type Around, reportVerdicts, type WholeList, wholeList } from './whole-list.ts';
import type { ComputeContext } from '../compute/api.ts';
import type { Listing, ListingOptions, ListQuery } from './reading.ts';

export type Context = ComputeContext;
export type Id = ComputeRequirementId;
export type Define = DefineCase<ComputeContext, ComputeRequirementId>;
export type Query = Readonly<Record<string, string>>;

/** A member that a search looks into, and which of its texts are searched for. */
export interface Found {
  readonly member: string;
  readonly id: Id;
  /** Texts that are tried, beside those that have characters of their own. */
  readonly most: number;
  /** The only texts that are searched for, however short. */
  readonly codes?: readonly string[];
  /** A member of which each value has its text searched for. */
  readonly eachOf?: string;
  /** True where a count may stand beside what a search looks into. */
  readonly counted?: boolean;
}

export interface Search {
  /** Its parameter; undefined where the target file names none. */
  readonly parameter: (t: Context) => string | undefined;
  readonly members: readonly string[];
  readonly finds: readonly Found[];
  /** Judges searches on the second page and after. */
  readonly onLaterPages: Id;
  /** Texts that stand in other members alone, and resemble nothing that a search looks into. */
  readonly elsewhere: (t: Context, whole: Listing) => readonly string[];
}

/** How a collection sorts. */
export interface Sorting {
  readonly fields: readonly {
    readonly field: string;
    readonly id: Id;
    /** Pages of the walks that are held against the order. */
    readonly pages: number;
  }[];
  /** How much of a sorted list is read for its order alone. */
  readonly page: ListingOptions;
  /** A field whose directions are held against each other, with the member that it goes by. */
  readonly reversed: readonly [field: string, member: string];
  /** Whether records show what a sort goes by; undefined where they always do. */
  readonly isShown?: (t: Context, field: string) => boolean;
  /** Other queries for a sort: it may be lost beside one kind alone. */
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
  /** What the records show that it means. */
  readonly shown: string;
  readonly id: Id;
  /** False where the filter may show what the whole list does not. */
  readonly mustBeComplete?: boolean;
}

/** An exact filter of a collection. */
export interface Filter {
  readonly name: string;
  /** Its parameter; undefined where the target file names none. */
  readonly parameter: (t: Context) => string | undefined;
  /** The member of a record that it goes by. */
  readonly member: string;
  readonly ids: readonly [Id, ...Id[]];
  readonly values: (t: Context, records: readonly WireRecord[]) => readonly FilterValue[];
  /** The requirement that nothing stands under two values. */
  readonly disjoint?: Id;
  /** Values that nothing has, and how such a filter may be answered. */
  readonly absent?: readonly {
    readonly id: Id;
    readonly what: string;
    readonly values: (t: Context, records: readonly WireRecord[]) => readonly string[];
    readonly answers?: { readonly id: Id; readonly statuses: readonly number[] };
  }[];
}

/** The walks of a collection, and the requirements that judge them. */
export interface Walks {
  /** Sizes with the pages that are turned at most: a large list is walked in part. */
  readonly sizes: readonly (readonly [id: Id, size: number | 'default', mostPages: number])[];
  /** Judges the order of walks by other sizes. */
  readonly anyOrder?: Id;
  readonly repeats: Id;
  readonly gaps?: Id;
  readonly ends?: Id;
  readonly weight: number;
  /** Lists that are walked by sizes that they fill exactly. */
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
  /** A query for a part that one page shows whole, of a collection too large for it. */
  readonly part: (t: Context) => Promise<ListQuery>;
  /** The same, for what needs items that differ. */
  readonly varied: (t: Context) => Promise<ListQuery>;
  readonly itemsIn: (t: Context, page: Exchange) => readonly WireRecord[] | undefined;
  readonly namesOf: (t: Context, records: readonly WireRecord[]) => readonly string[];
  readonly valueOf: (t: Context, record: WireRecord, member: string) => unknown;
  /** True for a record that a list may leave out as it likes. */
  readonly mayHide: (record: WireRecord) => boolean;
  /** A query beside good values of all that it leaves out. */
  readonly withFilters: (t: Context, query: Query) => Query;
  readonly parameters: (t: Context) => readonly string[];
  /** Queries that are refused with 400, by the slug of the requirement. */
  readonly refused: (t: Context) => Readonly<Record<string, readonly Query[]>>;
  readonly filters: readonly Filter[];
  /** What a query selected, held against the whole list. */
  readonly selects: (selection: Selection) => Judgement;
  /** The requirement that filtered lists come in the default order. */
  readonly filteredOrder?: Id;
  /** Whether two reads differ by nothing but the order of what is of one instant. */
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

/** What filters and searches are tried beside. */
export interface Beside {
  /** Queries beside which filters are walked over pages, too. */
  readonly overPages: readonly ListQuery[];
  /** The same of searches. */
  readonly searchesOverPages: readonly ListQuery[];
}

/** The whole collection, or what a query selects of it: its first 800 items. */
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

type Judge = Pick<TestContext<Id>, 'judge'>;

/** Says of those requirements of which nothing was seen what would have had to be there. */
export function lacking(
  t: Pick<TestContext<Id>, 'notExercised'>,
  ids: readonly Id[],
  seen: ReadonlySet<Id>,
  reason: string,
): void {
  for (const id of ids) if (!seen.has(id)) t.notExercised(id, reason);
}

/** Judges what is taken against the list around it; returns the requirements of which something was seen. */
export async function compare<Other>(
  t: Judge,
  list: WholeList,
  take: () => Promise<Other>,
  relate: (whole: Around<Listing>, other: Other) => readonly UniversalJudgement<Id>[],
): Promise<ReadonlySet<Id>> {
  return reportVerdicts(t, await list.compare(take, relate));
}

/** The same for one value of many: a list that never comes to rest says nothing of this one. */
export async function compareOne<Other>(
  t: Judge,
  list: WholeList,
  take: () => Promise<Other>,
  relate: (whole: Around<Listing>, other: Other) => readonly UniversalJudgement<Id>[],
): Promise<ReadonlySet<Id>> {
  return reportVerdicts(t, await list.compareOne(take, relate));
}

/** Text of a member; `''` where it is none. */
export function textOf(t: Context, c: Collection, record: WireRecord, member: string): string {
  const value = c.valueOf(t, record, member);
  return typeof value === 'string' ? value : '';
}

/** The texts that a member has, each once, in the order in which they come. */
export function textsOf(
  t: Context,
  c: Collection,
  records: readonly WireRecord[],
  member: string,
): readonly string[] {
  const texts = records.map((record) => textOf(t, c, record, member));
  return [...new Set(texts)].filter((text) => text !== '');
}
