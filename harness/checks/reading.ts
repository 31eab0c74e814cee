/** What the checks of both contracts read from an exchange. */

import { isObject, jsonBody } from '../exchange/body.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** When an exchange ended, in milliseconds since the epoch. */
export function endOf({ startedAt, durationMs }: Exchange): number {
  return startedAt + durationMs;
}

/** The members of a JSON body; undefined when the body is not an object or did not arrive whole. */
export function membersOf(exchange: Exchange): Readonly<Record<string, unknown>> | undefined {
  const body = jsonBody(exchange);
  return body.ok && isObject(body.value) ? body.value : undefined;
}

/** The value of a JSON text; undefined when the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
