/** Asking again until an answer shows what is waited for: what comes back need not come back at once. */

import type { Exchange } from '../../exchange/exchange.ts';
import { again } from '../again.ts';

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
  return again(send, done, growing(options.withinMs ?? RECOVERY_MS), options.signal);
}

/** Pauses that end in time, each twice as long as the one before. */
function* growing(withinMs: number): Iterable<number> {
  const end = performance.now() + withinMs;
  for (
    let ms = FIRST_PAUSE_MS;
    performance.now() + ms <= end;
    ms = Math.min(ms * 2, LONGEST_PAUSE_MS)
  ) {
    yield ms;
  }
}
