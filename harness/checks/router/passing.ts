/** Errors that have their cause in what else goes on, and not in the request (router#client-handling). */

import type { Exchange } from '../../exchange/exchange.ts';
import { codeOf } from './envelope.ts';

/** Codes of a request that found no room, or nobody, at the moment. */
const noRoom: ReadonlySet<string> = new Set([
  'concurrency_limit_exceeded',
  'no_agents_available',
  'no_capacity',
  'queue_full',
]);

/** True for a request that found no room: the same one may be served a moment later. */
export function foundNoRoom(exchange: Exchange): boolean {
  return noRoom.has(codeOf(exchange));
}

/** True for an internal failure of the router: any request may meet one (router#codes/backend_error). */
export function isInternalFailure(exchange: Exchange): boolean {
  return exchange.response?.status === 500 && codeOf(exchange) === 'backend_error';
}
