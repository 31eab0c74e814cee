/** Whether an answer shows a list, as the plain reads of a contract promise: otherwise it may be another service. */

import { isObject, jsonBody } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** True for a list in the member `data`, if an empty one. */
export function showsData(exchange: Exchange): boolean {
  const body = jsonBody(exchange);
  return (
    exchange.response?.status === 200 &&
    body.ok &&
    isObject(body.value) &&
    Array.isArray(body.value['data'])
  );
}

/** True for a list anywhere in the body, where its place is not documented. */
export function listsSomething(exchange: Exchange): boolean {
  const body = jsonBody(exchange);
  return exchange.response?.status === 200 && body.ok && holdsList(body.value);
}

function holdsList(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return isObject(value) && Object.values(value).some(holdsList);
}
