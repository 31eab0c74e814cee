/** Reading the error envelope of a response (compute#errors/envelope). */

import type { Exchange } from '../../exchange/exchange.ts';
import { isObject, jsonBody } from '../../exchange/body.ts';

/** The `error` object of a body, whatever is in it; undefined when the body has none. */
export function errorOf(exchange: Exchange): Readonly<Record<string, unknown>> | undefined {
  const body = jsonBody(exchange);
  if (!body.ok || !isObject(body.value)) return undefined;
  const error = body.value['error'];
  return isObject(error) ? error : undefined;
}

/** The error code of a response; undefined without one. */
export function codeOf(exchange: Exchange): string | undefined {
  const code = errorOf(exchange)?.['code'];
  return typeof code === 'string' ? code : undefined;
}

/** The request id of a response; undefined without one. */
export function requestIdOf(exchange: Exchange): string | undefined {
  const id = errorOf(exchange)?.['request_id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
