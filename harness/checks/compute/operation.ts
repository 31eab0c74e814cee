/** The documented operation of an exchange, and the instances that it shows. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { literalPattern } from '../../exchange/compute-guard.ts';
import { readRecord } from '../../target/bindings.ts';
import type { Fold, Verdicts } from '../universal.ts';
import { actionRecordOf, isSuccess, itemsOf, type WireRecord } from './records.ts';

/** What the universal checks of the compute API yield. */
export type ComputeVerdicts = Verdicts<ComputeRequirementId>;

type ComputeOperation =
  | 'list-instances'
  | 'get-instance'
  | 'stop-instance'
  | 'terminate-instance'
  | 'start-instance'
  | 'regions'
  | 'presets';

export interface MatchedOperation {
  readonly operation: ComputeOperation;
  /** The id in the path as it was sent, if any. */
  readonly id: string | undefined;
}

const documented: readonly (readonly [ComputeOperation, string])[] = [
  ['list-instances', 'GET /instances'],
  ['stop-instance', 'POST /instances/{id}/stop'],
  ['get-instance', 'GET /instances/{id}'],
  ['regions', 'GET /regions'],
  ['presets', 'GET /presets'],
];

type Route = readonly [ComputeOperation, RegExp];

/** The pattern of `METHOD /path/{id}`; `{id}` is one path segment that is not empty. */
function patternOf(route: string): RegExp {
  return new RegExp(`^${literalPattern(route, '([^/?#]+)')}$`, 'u');
}

const unbound: ComputeBindings = {};
const known = new WeakMap<ComputeBindings, readonly Route[]>();

function routesOf(bindings: ComputeBindings): readonly Route[] {
  const before = known.get(bindings);
  if (before !== undefined) return before;
  const routes = [...documented];
  if (bindings.start !== undefined) routes.unshift(['start-instance', bindings.start]);
  if (bindings.terminate !== undefined) routes.unshift(['terminate-instance', bindings.terminate]);
  const compiled = routes.map(([operation, route]) => [operation, patternOf(route)] as const);
  known.set(bindings, compiled);
  return compiled;
}

/** The operation of an exchange, if documented. Terminate and start are known only where the target file binds them. */
export function operationOf(
  exchange: Exchange,
  bindings: ComputeBindings | undefined,
): MatchedOperation | undefined {
  const line = `${exchange.request.method} ${exchange.request.path}`;
  for (const [operation, pattern] of routesOf(bindings ?? unbound)) {
    const match = pattern.exec(line);
    if (match !== null) return { operation, id: match[1] };
  }
  return undefined;
}

/** An exchange with the instance records that it shows. */
export interface Shown {
  readonly exchange: Exchange;
  /** The kind of response; `other` shows no instances. */
  readonly kind: 'list' | 'single' | 'action' | 'other';
  readonly records: readonly WireRecord[];
}

/** A check of what consecutive exchanges show. */
export type ComputeFold<Entry> = Fold<Shown, ComputeRequirementId, Entry>;

/** Reads the records of an exchange; undefined when the operation is not documented or the response did not arrive whole. */
export function shownBy(
  exchange: Exchange,
  bindings: ComputeBindings | undefined,
): Shown | undefined {
  const matched = operationOf(exchange, bindings);
  if (matched === undefined || exchange.ending !== 'complete') return undefined;
  const { operation } = isSuccess(exchange) ? matched : {};
  if (operation === 'list-instances') {
    const records = itemsOf(exchange)?.filter((item) => isObject(item)) ?? [];
    return { exchange, kind: 'list', records };
  }
  if (operation === 'get-instance') {
    return { exchange, kind: 'single', records: singleRecord(exchange, bindings) };
  }
  if (operation === 'stop-instance' || operation === 'terminate-instance') {
    const record = actionRecordOf(exchange);
    return { exchange, kind: 'action', records: record === undefined ? [] : [record] };
  }
  return { exchange, kind: 'other', records: [] };
}

function singleRecord(
  exchange: Exchange,
  bindings: ComputeBindings | undefined,
): readonly WireRecord[] {
  const path = bindings?.getInstance?.record;
  const body = path === undefined ? undefined : jsonBody(exchange);
  if (path === undefined || body?.ok !== true) return [];
  const record = readRecord(body.value, path);
  return record === undefined ? [] : [record];
}
