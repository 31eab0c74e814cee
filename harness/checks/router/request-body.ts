/** What a request asked for, as far as its body is JSON. */

import { isObject } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';

const known = new WeakMap<Exchange, Readonly<Record<string, unknown>>>();
const NOTHING = {};

/** The members of a JSON request body; none when it is no JSON object. Read once for each exchange. */
function requestMembers(exchange: Exchange): Readonly<Record<string, unknown>> {
  const before = known.get(exchange);
  if (before !== undefined) return before;
  const members = parsed(exchange.request.body);
  known.set(exchange, members);
  return members;
}

function parsed(body: Uint8Array): Readonly<Record<string, unknown>> {
  if (body.length === 0) return NOTHING;
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return isObject(value) ? value : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** The model that a request names, undefined when it names none. */
export function requestedModel(exchange: Exchange): string | undefined {
  const model = requestMembers(exchange)['model'];
  return typeof model === 'string' ? model : undefined;
}

/** True when the request asked for a stream. */
export function asksForStream(exchange: Exchange): boolean {
  return requestMembers(exchange)['stream'] === true;
}
