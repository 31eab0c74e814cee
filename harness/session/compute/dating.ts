/** Finds out when instances were created: the record does not tell, the date filters do. */

import { BEFORE_ALL } from '../../checks/compute/windows.ts';
import type { Boundary } from '../../checks/compute/boundary.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive, NotExercised } from '../../suite/signals.ts';
import type { ComputeApi } from './api.ts';
import { type Listing, type ListQuery, readInstances } from './listing.ts';

const DAY_MS = 86_400_000;

/** Windows are read by their newest page: the instances that are judged are those of the first page. */
export async function readWindow(api: ComputeApi, query: ListQuery): Promise<Listing> {
  return readInstances(api, query, { mostPages: 1 });
}

/** An instant as the filters take it, in UTC with milliseconds. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * A span of time in which some of the instances were created and not all of them before its middle: the first
 * halving that tells two of them apart. Throws `NotExercised` when no instant does.
 */
export async function findSpan(
  api: ComputeApi,
  ids: readonly string[],
): Promise<{ readonly from: number; readonly to: number }> {
  let [from, to] = [BEFORE_ALL, Date.now() + DAY_MS];
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    const window = await readWindow(api, { date_range_begin: instant(middle) });
    requireReadable(window);
    const inside = new Set(window.ids);
    const count = ids.filter((id) => inside.has(id)).length;
    if (count > 0 && count < ids.length) return { from, to };
    if (count === 0) to = middle;
    else from = middle;
  }
  throw new NotExercised('no begin date tells the instances of the account apart');
}

/** Finds by halving, to the millisecond, where the windows stop having one instance. */
export async function findBoundary(api: ComputeApi, id: string): Promise<Boundary> {
  const told = new Map<string, Exchange | undefined>();
  const has = async (query: ListQuery): Promise<boolean> => {
    const window = await readWindow(api, query);
    requireReadable(window);
    told.set(JSON.stringify(query), window.exchanges[0]);
    return window.ids.includes(id);
  };
  let [inside, outside] = [BEFORE_ALL, Date.now() + DAY_MS];
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (await has({ date_range_begin: instant(middle) })) inside = middle;
    else outside = middle;
  }
  let firstEnd = inside;
  while (firstEnd < inside + 2 && !(await has({ date_range_end: instant(firstEnd) })))
    firstEnd += 1;
  const exchanges = Array.from(told.values())
    .slice(-4)
    .filter((exchange) => exchange !== undefined);
  return { lastBegin: inside, firstEnd, exchanges };
}

function requireReadable(window: Listing): void {
  if (window.readable) return;
  const status = window.exchanges.at(-1)?.response?.status;
  throw new Inconclusive(`a date window is answered with ${status}, so nothing can be dated`);
}
