/** Finds out and waits for the state of instances, however the target tells it. */

import type { ComputeBindings } from '../../../schemas/target-bindings.ts';
import { nextCursor } from '../../checks/compute/next-cursor.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/signals.ts';
import { readRecord } from '../../target/bindings.ts';
import type { CallOptions, ComputeApi } from './api.ts';
import { retry, within } from '../../runner/retry.ts';

/** An instance as one answer showed it. */
export interface Sighting {
  readonly exchange: Exchange;
  readonly record: Readonly<Record<string, unknown>>;
  /** The `status` member, `''` when it is no text. */
  readonly status: string;
}

/** Pages of the list that are searched for one instance when no binding says how to read it alone. */
const SEARCHED_PAGES = 5;

/**
 * Looks at one instance: through `GET /instances/{id}` where the target file says where its record is,
 * otherwise through the list. Undefined when the instance is not to be seen.
 */
export async function look(
  api: ComputeApi,
  bindings: ComputeBindings,
  id: string,
  options: CallOptions = {},
): Promise<Sighting | undefined> {
  const path = bindings.getInstance?.record;
  if (path !== undefined) {
    const exchange = await api.get(id, options);
    if (!isSuccess(exchange)) return undefined;
    const body = jsonBody(exchange);
    const record = body.ok ? readRecord(body.value, path) : undefined;
    return record === undefined ? undefined : sighting(exchange, record);
  }
  return lookInList(api, id, options);
}

/** Whether an id in a record is the one asked for; UUIDs may be written in either case. */
export function isSameId(shown: unknown, id: string): boolean {
  return typeof shown === 'string' && shown.toLowerCase() === id.toLowerCase();
}

/** Looks for one instance in the newest pages of the list. */
export async function lookInList(
  api: ComputeApi,
  id: string,
  options: CallOptions = {},
): Promise<Sighting | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < SEARCHED_PAGES; page += 1) {
    const exchange = await api.list({ size: 200, cursor }, options);
    const body = jsonBody(exchange);
    const data = body.ok && isObject(body.value) ? body.value['data'] : undefined;
    const found = Array.isArray(data)
      ? data.filter(isObject).find((record) => isSameId(record['instance_id'], id))
      : undefined;
    if (found !== undefined) return sighting(exchange, found);
    const next = nextCursor(exchange);
    if (typeof next !== 'string') return undefined;
    cursor = next;
  }
  return undefined;
}

export interface AwaitOptions extends CallOptions {
  /** Called with every sighting on the way. */
  readonly onSighting?: (seen: Sighting) => void;
  /** Milliseconds until we stop waiting. */
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

/**
 * Polls until the instance is in one of the wanted states. Throws `Inconclusive` when it does not get there
 * in time: the contract gives no times.
 */
export async function awaitStatus(
  api: ComputeApi,
  bindings: ComputeBindings,
  id: string,
  wanted: readonly string[],
  options: AwaitOptions,
): Promise<Sighting> {
  const { onSighting, withinMs, signal, ...call } = options;
  let last: Sighting | undefined;
  const wanting = (seen: Sighting | undefined): seen is Sighting =>
    seen !== undefined && wanted.includes(seen.status);
  const seen = await retry(
    { signal },
    within('provisioned', withinMs),
    async () => {
      const sight = await look(api, bindings, id, call);
      if (sight === undefined) return undefined;
      last = sight;
      onSighting?.(sight);
      return sight;
    },
    wanting,
  );
  if (wanting(seen)) return seen;
  throw new Inconclusive(
    `instance ${id} did not come to ${wanted.join(' or ')} within ${Math.round(withinMs / 1_000)} s; last seen ${last?.status ?? 'nowhere'}`,
  );
}

function sighting(exchange: Exchange, record: Readonly<Record<string, unknown>>): Sighting {
  const status = record['status'];
  return { exchange, record, status: typeof status === 'string' ? status : '' };
}
