/** Reads lists page by page, within bounds: an account of ten thousand instances is judged by its newest ones. */

import { nextCursor } from '../../checks/collection/bounds.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { CallOptions, ComputeApi } from '../compute/api.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { isInformative } from '../../checks/compute/answers.ts';
import type { Extent } from '../../checks/collection/bracket.ts';
import { presetContent, presetsOf } from '../../checks/compute/presets.ts';
import { idsOf, instancesOf, type WireRecord } from '../../checks/compute/records.ts';
import { isObject } from '../../exchange/body.ts';
import type { QueryValue } from '../../exchange/outgoing.ts';
import { Inconclusive } from '../../runner/case.ts';

/** A walk over a list with items of any kind. */
export interface WalkOptions {
  /** Requests one page; `cursor` is undefined for the first. */
  readonly page: (cursor: string | undefined) => Promise<Exchange>;
  /** Reads the items of a page; undefined when the response is no page. */
  readonly items: (exchange: Exchange) => readonly unknown[] | undefined;
  readonly mostPages: number;
  /** Items that `mostPages` full pages hold (default 0). When pages are short, a few more are read to reach it. */
  readonly mostItems?: number;
}

/** Most additional pages that are read because others were short. */
const MORE_PAGES = 9;

/** Items that a walk keeps of one page: far more than a page may have, and few enough for the memory. */
const MAX_ITEMS = 10_000;

/** Walks to the last page or to a bound. Never throws for a response of the target. */
export async function walk(options: WalkOptions): Promise<{
  readonly pages: readonly Exchange[];
  readonly items: readonly unknown[];
  readonly end: Extent['end'];
}> {
  const pages: Exchange[] = [];
  const items: unknown[] = [];
  const followed = new Set<string>();
  let cursor: string | undefined;
  const { mostPages, mostItems = 0 } = options;
  const isEnough = () =>
    pages.length >= mostPages &&
    (items.length >= mostItems || pages.length >= mostPages + MORE_PAGES);
  while (!isEnough()) {
    const exchange = await options.page(cursor);
    pages.push(exchange);
    const found = options.items(exchange);
    const next = nextCursor(exchange);
    if (found === undefined || next === undefined) return { pages, items, end: 'no-page' };
    for (const item of found.slice(0, MAX_ITEMS)) items.push(item);
    if (next === null) return { pages, items, end: 'last-page' };
    if (followed.has(next)) return { pages, items, end: 'cursor-again' };
    followed.add(next);
    cursor = next;
  }
  return { pages, items, end: 'limit' };
}

/** Pages of 200 in which the full list is read: its newest 800 items. */
export const WHOLE_PAGES = 4;
/** One page more, since a part of the full list may have grown while it was read. */
const PART_PAGES = WHOLE_PAGES + 1;
const LARGEST_PAGE = 200;

/** The query without size and cursor. */
export type ListQuery = Readonly<Record<string, QueryValue | undefined>>;

/** The result of a walk over a list. */
export interface Listing extends Extent {
  readonly records: readonly WireRecord[];
  /** False when some response of the walk was no page. */
  readonly readable: boolean;
}

export interface ListingOptions {
  /** Items per page (default 200); `default` sends no size. */
  readonly size?: number | 'default';
  readonly mostPages?: number;
  readonly as?: string;
}

/** Walks over the instances that a query selects. Throws `Inconclusive` when a proxy answered instead. */
export async function readInstances(
  api: Pick<ComputeApi, 'list'>,
  query: ListQuery = {},
  options: ListingOptions = {},
): Promise<Listing> {
  return read(query, options, async (...asked) => api.list(...asked), instancesOf, idsOf);
}

/** Reads the newest page of a date window. Throws `Inconclusive` when short pages that lead on hide a part of it. */
export async function readWindow(
  api: Pick<ComputeApi, 'list'>,
  query: ListQuery,
): Promise<Listing> {
  const window = await readInstances(api, query, { mostPages: 1 });
  if (window.end !== 'limit' || window.ids.length >= LARGEST_PAGE) return window;
  throw new Inconclusive(
    `${window.exchanges.length} pages of a date window held ${window.ids.length} instances and there are more, so a missing instance proves nothing`,
  );
}

/** Walks over the presets that a query selects. The id of a preset is its content, whatever the order of its members. */
export async function readPresetList(
  api: ComputeApi,
  bindings: ComputeBindings,
  query: ListQuery = {},
  options: ListingOptions = {},
): Promise<Listing> {
  return read(
    query,
    options,
    async (...asked) => api.presets(...asked),
    (exchange) => presetsOf(exchange, bindings),
    (records) => records.map((record) => presetContent(record, bindings)),
  );
}

async function read(
  query: ListQuery,
  { size = LARGEST_PAGE, mostPages = PART_PAGES, ...call }: ListingOptions,
  ask: (query: ListQuery, call: CallOptions) => Promise<Exchange>,
  items: (exchange: Exchange) => readonly WireRecord[] | undefined,
  idsIn: (records: readonly WireRecord[]) => readonly string[],
): Promise<Listing> {
  const asked = size === 'default' ? query : { ...query, size };
  const walked = await walk({
    page: async (cursor) => ask({ ...asked, cursor }, call),
    items,
    mostPages,
    ...(size === 'default' ? {} : { mostItems: mostPages * size }),
  });
  const last = walked.pages.at(-1);
  if (walked.end === 'no-page' && last !== undefined && !isInformative(last)) {
    throw new Inconclusive(
      `${last.request.method} ${last.request.path} answered ${last.response?.status ?? last.ending}`,
    );
  }
  const records = walked.items.filter(isObject);
  return {
    ids: idsIn(records),
    records,
    exchanges: walked.pages,
    end: walked.end,
    readable: walked.end !== 'no-page',
  };
}
