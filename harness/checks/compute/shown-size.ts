/** Reading the size that a page says it has (compute#pagination/size). */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { isSuccess } from './records.ts';

/** `pagination.size` of a page; undefined when the answer has none. */
export function shownSize(exchange: Exchange): unknown {
  const body = isSuccess(exchange) ? jsonBody(exchange) : undefined;
  if (body?.ok !== true || !isObject(body.value)) return undefined;
  const { pagination } = body.value;
  return isObject(pagination) ? pagination['size'] : undefined;
}
