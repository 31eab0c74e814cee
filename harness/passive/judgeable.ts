/** What of an exchange can be judged at all, when its client may have asked for anything. */

import { isDecodable } from '../exchange/body.ts';
import { type Exchange, headerValue } from '../exchange/exchange.ts';

/**
 * The exchange, ended as if its body was not held where that body cannot be read here: a client may ask for a part of
 * it, or for a coding that this program does not know.
 */
export function judgeable(exchange: Exchange): Exchange {
  if (exchange.ending !== 'complete' || exchange.response === undefined) return exchange;
  const { status, headers } = exchange.response;
  const cause =
    status === 206
      ? 'the client asked for a part of the body'
      : headerValue(headers, 'content-encoding') !== undefined && !isDecodable(exchange)
        ? 'the content coding cannot be read here'
        : undefined;
  return cause === undefined ? exchange : { ...exchange, ending: 'too-large', cause };
}
