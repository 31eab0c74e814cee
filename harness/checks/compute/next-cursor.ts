/** Reading where a page says that the next one is (compute#pagination/next). */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { isSuccess } from './records.ts';

/** `pagination.next` of a page: a cursor, null on the last page, undefined when the answer has none. */
export function nextCursor(exchange: Exchange): string | null | undefined {
  if (!isSuccess(exchange)) return undefined;
  const body = jsonBody(exchange);
  if (!body.ok || !isObject(body.value)) return undefined;
  const pagination = body.value['pagination'];
  if (!isObject(pagination)) return undefined;
  const next = pagination['next'];
  return typeof next === 'string' || next === null ? next : undefined;
}
