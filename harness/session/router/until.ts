/** Asking again until an answer shows what is waited for: what comes back need not come back at once. */

import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** Milliseconds in which a slot, a place or a budget must be back; what leaks stays away for ever. */
const RECOVERY_MS = 5_000;

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Sends until `done` holds, at most for `withinMs`, with growing pauses. Returns the last exchange, for which `done` may
 * not hold.
 */
export async function until(
  send: () => Promise<Exchange>,
  done: (exchange: Exchange) => boolean,
  options: { readonly withinMs?: number; readonly signal: AbortSignal },
): Promise<Exchange> {
  const end = performance.now() + (options.withinMs ?? RECOVERY_MS);
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const exchange = await send();
    if (done(exchange) || performance.now() + wait > end) return exchange;
    options.signal.throwIfAborted();
    await pause(wait);
  }
}
