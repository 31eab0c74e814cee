/** Whole lists of a target, within bounds: an account of ten thousand instances is judged by its newest ones. */

import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { readPresets } from '../../target/bindings.ts';
import { isTelling } from '../../checks/compute/answers.ts';
import type { Extent } from '../../checks/compute/extent.ts';
import { presetContent } from '../../checks/compute/preset-names.ts';
import { type WireRecord, idsOf, instancesOf } from '../../checks/compute/records.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import type { QueryValue } from '../../exchange/outgoing.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/case.ts';
import type { ComputeApi } from './api.ts';
import { walk, withCursor } from './walk.ts';

/** Pages of 200 that a full list is read by: its newest 800 items. */
export const WHOLE_PAGES = 4;
/** One page more: a part of the full list may have grown while it was read. */
const PART_PAGES = WHOLE_PAGES + 1;
const LARGEST_PAGE = 200;

/** What was asked for, beside size and cursor. */
export type ListQuery = Readonly<Record<string, QueryValue | undefined>>;

/** What a walk over a list gave. */
export interface Listing extends Extent {
  readonly records: readonly WireRecord[];
  /** False when some answer on the way was no page. */
  readonly readable: boolean;
}

export interface ListingOptions {
  /** Items per page; `default` asks for none; 200 unless told. */
  readonly size?: number | 'default';
  readonly mostPages?: number;
  /** Name of the key. */
  readonly as?: string;
}

/** Walks over the instances that a query selects. Throws `Inconclusive` when a proxy answered instead. */
export async function readInstances(
  api: Pick<ComputeApi, 'list'>,
  query: ListQuery = {},
  options: ListingOptions = {},
): Promise<Listing> {
  const call = options.as === undefined ? {} : { as: options.as };
  return read(query, options, async (asked) => api.list(asked, call), instancesOf, idsOf);
}

/** Walks over the presets that a query selects. An item is told from another by what it says, in whatever order. */
export async function readPresetList(
  api: ComputeApi,
  bindings: ComputeBindings,
  query: ListQuery = {},
  options: ListingOptions = {},
): Promise<Listing> {
  const call = options.as === undefined ? {} : { as: options.as };
  return read(
    query,
    options,
    async (asked) => api.presets(asked, call),
    (exchange) => presetItems(exchange, bindings),
    (records) => records.map((record) => presetContent(record, bindings)),
  );
}

async function read(
  query: ListQuery,
  { size = LARGEST_PAGE, mostPages = PART_PAGES }: ListingOptions,
  ask: (query: ReturnType<typeof withCursor>) => Promise<Exchange>,
  items: (exchange: Exchange) => readonly WireRecord[] | undefined,
  idsIn: (records: readonly WireRecord[]) => readonly string[],
): Promise<Listing> {
  const asked = size === 'default' ? query : { ...query, size };
  const walked = await walk({
    page: async (cursor) => ask(withCursor(asked, cursor)),
    items,
    mostPages,
  });
  const last = walked.pages.at(-1);
  if (walked.end === 'no-page' && last !== undefined && !isTelling(last)) {
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

function presetItems(
  exchange: Exchange,
  bindings: ComputeBindings,
): readonly WireRecord[] | undefined {
  const member = bindings.presets?.items;
  const body = jsonBody(exchange);
  if (member === undefined || !body.ok || (exchange.response?.status ?? 0) >= 300) return undefined;
  const presets = readPresets(body.value, member);
  return presets.ok ? presets.value : undefined;
}
