/**
 * Waiting for agents that a router rests: how it judges the health of its fleet is open, so that after failures it may
 * leave an agent out for a moment and answer `no_agents_available` meanwhile, without asking any engine.
 */

import { codeOf } from '../../checks/router/envelope.ts';
import { isInternalFailure } from '../../checks/router/passing.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { again } from '../again.ts';

/** Milliseconds before each further attempt. */
const ATTEMPTS_AFTER_MS = [60, 150, 300, 600];
/** Milliseconds that a session waits in all: a model that is never served must not hold up the run. */
const MOST_MS = 6_000;

const waitedMs = new WeakMap<object, number>();

/** Whether a request that reached no engine may be served when it is sent again: the router failed, or rested its agents. */
export function mayBeServedAgain(exchange: Exchange): boolean {
  return mayBeRested(exchange) || isInternalFailure(exchange);
}

/** Whether agents may have been left out for a moment. A model without agents is answered alike. */
export function mayBeRested(exchange: Exchange): boolean {
  return codeOf(exchange) === 'no_agents_available';
}

/**
 * Sends once more, a few times at most, as long as `isRested` holds for what comes back. `session` is whatever the cases
 * of a run share: once they have waited long enough in all, the first answer counts.
 */
export async function onceRested<T>(
  session: object,
  send: () => Promise<T>,
  options: { readonly isRested: (result: T) => boolean; readonly signal: AbortSignal },
): Promise<T> {
  const { isRested, signal } = options;
  return again(send, (result) => !isRested(result), patience(session), signal);
}

/** Pauses as long as the session has patience left; each is taken from it. */
function* patience(session: object): Iterable<number> {
  for (const ms of ATTEMPTS_AFTER_MS) {
    const spent = waitedMs.get(session) ?? 0;
    if (spent >= MOST_MS) return;
    waitedMs.set(session, spent + ms);
    yield ms;
  }
}
