/** The code in an error envelope; both contracts put it in the same place. */

import { isObject, jsonBody } from './body.ts';
import type { Exchange } from './exchange.ts';

/** `error.code` of a response of 400 or above, `''` when there is none. */
export function envelopeCode(exchange: Exchange): string {
  if ((exchange.response?.status ?? 0) < 400) return '';
  const body = jsonBody(exchange);
  if (!body.ok || !isObject(body.value)) return '';
  const error = body.value['error'];
  const code = isObject(error) ? error['code'] : undefined;
  return typeof code === 'string' ? code : '';
}
