/** What the laws of a paged collection are told about it, and how they hold its answers against the whole of it. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { WireRecord } from '../../checks/compute/records.ts';
import type { Judgement } from '../../checks/judgement.ts';
import type { UniversalJudgement } from '../../checks/universal.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { DefineCase, TestContext } from '../../runner/case.ts';
import { type Around, tell, WholeList } from './whole-list.ts';
import type { ComputeContext } from '../compute/context.ts';
import { type Listing, type ListingOptions, type ListQuery, WHOLE_PAGES } from './reading.ts';

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
  readonly parameter: (t: Context) => string;
  readonly members: readonly string[];
  readonly finds: readonly Found[];
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
  /** Whether records show what a sort goes by. */
  readonly isShown: (t: Context, field: string) => boolean;
  /** Other queries for a sort: it may be lost beside one kind alone. */
  readonly beside: (
    t: Context,
    records: readonly WireRecord[],
    field: string,
  ) => readonly ListQuery[];
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

interface Directions {
  readonly up: Listing;
  readonly down: Listing;
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
  readonly itemsIn: (t: Context, page: Exchange) => readonly WireRecord[] | undefined;
  readonly namesOf: (t: Context, records: readonly WireRecord[]) => readonly string[];
  readonly valueOf: (t: Context, record: WireRecord, member: string) => unknown;
  /** True for a record that a list may leave out as it likes. */
  readonly mayHide: (record: WireRecord) => boolean;
  /** A query beside good values of all that it leaves out. */
  readonly among: (t: Context, query: Query) => Query;
  readonly parameters: (t: Context) => readonly string[];
  /** Queries that are refused with 400, by the slug of the requirement. */
  readonly refused: (t: Context) => Readonly<Record<string, readonly Query[]>>;
  readonly search: Search;
  readonly sorting: Sorting;
}

/** The whole collection, or what a query selects of it: its first 800 items. */
export function wholeOf(
  t: Context,
  c: Collection,
  query: ListQuery = {},
  options: ListingOptions = {},
): WholeList {
  return new WholeList(t, async () => c.read(t, query, { mostPages: WHOLE_PAGES, ...options }));
}

type Judge = Pick<TestContext<Id>, 'judge'>;

/** Judges what is taken against the list around it; returns whether a requirement said anything. */
export async function compare<Other>(
  t: Judge,
  list: WholeList,
  take: () => Promise<Other>,
  relate: (whole: Around<Listing>, other: Other) => readonly UniversalJudgement<Id>[],
): Promise<(id: Id) => boolean> {
  return told(t, await list.against(take, relate));
}

/** The same for one value of many: a list that never comes to rest says nothing of this one. */
export async function compareOne<Other>(
  t: Judge,
  list: WholeList,
  take: () => Promise<Other>,
  relate: (whole: Around<Listing>, other: Other) => readonly UniversalJudgement<Id>[],
): Promise<(id: Id) => boolean> {
  return told(t, await list.againstOne(take, relate));
}

function told(t: Judge, verdicts: readonly UniversalJudgement<Id>[]): (id: Id) => boolean {
  tell(t, verdicts);
  return (id) =>
    verdicts.some(({ requirement, judgement }) => requirement === id && judgement.seen > 0);
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
