/**
 * Waiting for agents that a router rests: how it judges the health of its fleet is open, so that after failures it may
 * leave an agent out for some seconds and answer `no_agents_available` meanwhile, without asking any engine.
 */

import { codeOf } from '../../checks/router/envelope.ts';
import { isInternalFailure } from '../../checks/router/passing.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { pause } from '../../exchange/budget.ts';
import { retry, waits } from '../../runner/retry.ts';

/** Milliseconds that a session waits in all: agents that rest after every failure must not hold up the run for ever. */
const MAX_MS = 150_000;
/** Milliseconds that it waits further for agents that nobody makes fail any more. */
const SPARED_MS = 30_000;

/** What a session knows of the agents of one model. */
interface Pool {
  wasServed: boolean;
  /** True once its agents were found rested. */
  wasRested: boolean;
  /** True once waiting was in vain. */
  isGivenUp: boolean;
  /** The one request that looks whether they are back, while the others wait for what it meets. */
  looking: Promise<void> | undefined;
}

/** What all cases of a session share. */
class Patience {
  waitedMs = 0;
  readonly #pools = new Map<string, Pool>();

  poolOf(model: string): Pool {
    const known = this.#pools.get(model);
    if (known !== undefined) return known;
    const pool = { wasServed: false, wasRested: false, isGivenUp: false, looking: undefined };
    this.#pools.set(model, pool);
    return pool;
  }
}

const patienceOf = new WeakMap<object, Patience>();

function patienceIn(session: object): Patience {
  const known = patienceOf.get(session) ?? new Patience();
  patienceOf.set(session, known);
  return known;
}

/**
 * Whether a session has no time left to wait for the agents of a model that rest after failures. Who makes them fail all the
 * same takes them from those who need an answer.
 */
export function mustSpareAgents(session: object, model: string): boolean {
  const patience = patienceIn(session);
  return patience.waitedMs >= MAX_MS && patience.poolOf(model).wasRested;
}

/** Whether a request that reached no engine may be served when it is sent again: the router failed, or rested its agents. */
export function mayBeServedAgain(exchange: Exchange): boolean {
  return mayBeRested(exchange) || isInternalFailure(exchange);
}

/** Whether agents may have been left out for a moment. A model without agents is answered alike. */
export function mayBeRested(exchange: Exchange): boolean {
  return codeOf(exchange) === 'no_agents_available';
}

export interface RestOptions<T> {
  readonly model: string;
  readonly isRested: (result: T) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Sends again as long as `isRested` holds for what comes back, until patience ends. `session` is whatever the cases of a
 * run share: of several that find the agents of a model rested one looks for them, and the others send when they are back.
 */
export async function onceRested<T>(
  session: object,
  send: () => Promise<T>,
  options: RestOptions<T>,
): Promise<T> {
  const patience = patienceIn(session);
  const pool = patience.poolOf(options.model);
  for (;;) {
    await pool.looking;
    const result = await send();
    if (!options.isRested(result)) {
      pool.wasServed = true;
      return result;
    }
    pool.wasRested = true;
    if (pool.isGivenUp || patience.waitedMs >= MAX_MS + SPARED_MS) return result;
    if (pool.looking === undefined) return look(patience, pool, send, options);
  }
}

/** The same for a request whose answer alone tells whether the agents of its model are rested. */
export async function onceServed(
  t: { readonly target: object; readonly signal: AbortSignal },
  model: string,
  send: () => Promise<Exchange>,
): Promise<Exchange> {
  return onceRested(t.target, send, { model, isRested: mayBeServedAgain, signal: t.signal });
}

/** Sends until the agents are back, while others wait for that. */
async function look<T>(
  patience: Patience,
  pool: Pool,
  send: () => Promise<T>,
  { isRested, signal }: RestOptions<T>,
): Promise<T> {
  let tell: () => void = () => {};
  pool.looking = new Promise((resolve) => (tell = resolve));
  const from = performance.now();
  const wait = pool.wasServed ? 'agentsRested' : 'agentsNeverServed';
  try {
    await pause(waits[wait].pollMs[0], signal);
    const result = await retry({ signal }, wait, send, (one) => !isRested(one));
    const isBack = !isRested(result);
    pool.wasServed ||= isBack;
    pool.isGivenUp = !isBack;
    return result;
  } finally {
    patience.waitedMs += performance.now() - from;
    pool.looking = undefined;
    tell();
  }
}
