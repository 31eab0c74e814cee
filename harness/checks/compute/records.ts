/** Reads instance records and pages from responses. */

import { instanceFieldNames } from '../../../schemas/compute/wire.ts';
import { figureOf, isObject, membersOf } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** A record as received, without any validation. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** A record, and the exchange that showed it. */
export interface ShownRecord {
  readonly record: WireRecord;
  readonly exchange: Exchange;
}

/** True for a 2xx that arrived whole. */
export function isSuccess(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return exchange.ending === 'complete' && status >= 200 && status < 300;
}

/** The items of a page of instances as received; undefined when the body has no such list. */
export function itemsOf(exchange: Exchange): readonly unknown[] | undefined {
  const data = membersOf(exchange)?.['data'];
  return Array.isArray(data) ? data : undefined;
}

/** The records of a page of instances; undefined when it is not a successful page, or when an item is not an object. */
export function instancesOf(exchange: Exchange): readonly WireRecord[] | undefined {
  const items = isSuccess(exchange) ? itemsOf(exchange) : undefined;
  return items?.every((item) => isObject(item)) === true ? items : undefined;
}

/** The record in the response to an accepted stop or terminate; undefined when the body has no field of a record. */
export function actionRecordOf(exchange: Exchange): WireRecord | undefined {
  const record = isSuccess(exchange) ? membersOf(exchange) : undefined;
  return instanceFieldNames.some((name) => Object.hasOwn(record ?? {}, name)) ? record : undefined;
}

/** The same record with the response that shows it. */
export function answeredRecord(answer: Exchange): ShownRecord | undefined {
  const record = actionRecordOf(answer);
  return record === undefined ? undefined : { record, exchange: answer };
}

/** A member of a record, when it is text. */
export function textOf(record: WireRecord, field: string): string | undefined {
  const value = record[field];
  return typeof value === 'string' ? value : undefined;
}

/** A member of a record, when it is a finite number. */
export function numberOf(record: WireRecord, field: string): number | undefined {
  const value = figureOf(record[field]);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The id of a record in lower case, since UUIDs may be written in either; `''` without a textual id. */
export function idOf(record: WireRecord): string {
  return (textOf(record, 'instance_id') ?? '').toLowerCase();
}

/** The ids of records in order. */
export function idsOf(records: readonly WireRecord[]): readonly string[] {
  return records.map(idOf);
}

/** The first id that comes a second time, if any. */
export function firstRepeat(ids: readonly string[]): string | undefined {
  const met = new Set<string>();
  for (const id of ids) {
    if (met.has(id)) return id;
    met.add(id);
  }
  return undefined;
}

/** A figure in the response to an accepted stop or terminate. */
export function answeredNumber(answer: Exchange, field: string): number | undefined {
  return numberOf(actionRecordOf(answer) ?? {}, field);
}
