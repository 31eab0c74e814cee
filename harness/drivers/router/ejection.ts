/** Waiting for agents that a router ejects after failures: for how long is open, and meanwhile it asks no engine. */

import { hasCode, isInternalFailure } from '../../checks/router/envelope.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { pause } from '../../exchange/budget.ts';
import { respond } from '../../backend/behaviour.ts';
import type { BackendControl } from '../../backend/control.ts';
import type { RouterApi } from './api.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { Inconclusive } from '../../runner/case.ts';
import type { RouterContext } from './session.ts';
import { eventually, rest, retry } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';

/** Milliseconds that a session waits in all: agents that are ejected after every failure must not hold up the run for ever. */
const MAX_MS = 150_000;
/** Milliseconds that it waits further for agents that nobody makes fail any more. */
const SPARED_MS = 30_000;

/** What a session knows of the agents of one model. */
class Pool {
  wasServed = false;
  /** True once its agents were found ejected. */
  wasEjected = false;
  /** True once waiting was in vain, until they are met again. */
  isGivenUp = false;
  /** The one request that probes whether they are back, while the others wait for what it meets. */
  probe: Promise<void> | undefined;
  /** Whether they are ejected after failures; undefined where none of them was ever asked. Told once. */
  ejects: Promise<boolean | undefined> | undefined;
}

/** What all cases of a session share. */
class Patience {
  waitedMs = 0;
  readonly #pools = new Map<string, Pool>();

  poolOf(model: string): Pool {
    const pool = this.#pools.get(model) ?? new Pool();
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
 * Whether a session has no time left to wait for the agents of a model that are ejected after failures. A case that
 * makes them fail all the same takes them from cases that need an answer.
 */
export function mustSpareAgents(session: object, model: string): boolean {
  const patience = patienceIn(session);
  return patience.waitedMs >= MAX_MS && patience.poolOf(model).wasEjected;
}

/** Whether a request that reached no engine may be served when it is sent again: the router failed, or ejected its agents. */
export function mayBeServedAgain(exchange: Exchange): boolean {
  return mayBeEjected(exchange) || isInternalFailure(exchange);
}

/** Whether agents may have been left out for a moment. A model without agents is answered alike. */
export const mayBeEjected = hasCode('no_agents_available');

export interface EjectionOptions<T> {
  readonly model: string;
  readonly isEjected: (result: T) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Sends again as long as `isRested` holds for what comes back, until patience ends. `session` is whatever the cases of a
 * run share: of several that find the agents of a model ejected one probes for them, and the others send when they are back.
 */
export async function onceReturned<T>(
  session: object,
  send: () => Promise<T>,
  options: EjectionOptions<T>,
): Promise<T> {
  const patience = patienceIn(session);
  const pool = patience.poolOf(options.model);
  for (;;) {
    await pool.probe;
    const result = await send();
    if (!options.isEjected(result)) {
      pool.wasServed = true;
      pool.isGivenUp = false;
      return result;
    }
    pool.wasEjected = true;
    if (pool.isGivenUp || patience.waitedMs >= MAX_MS + SPARED_MS) return result;
    if (pool.probe === undefined) return probeUntilBack(patience, pool, send, options);
  }
}

/** The same for a request whose answer alone tells whether the agents of its model are ejected. */
export async function onceServed(
  t: { readonly session: object; readonly signal: AbortSignal },
  model: string,
  send: () => Promise<Exchange>,
): Promise<Exchange> {
  return onceReturned(t.session, send, { model, isEjected: mayBeServedAgain, signal: t.signal });
}

/** Sends until the agents are back, while others wait for that. */
async function probeUntilBack<T>(
  patience: Patience,
  pool: Pool,
  send: () => Promise<T>,
  { isEjected, signal }: EjectionOptions<T>,
): Promise<T> {
  let resolveProbe: () => void = () => {};
  pool.probe = new Promise((resolve) => (resolveProbe = resolve));
  const from = performance.now();
  const wait = pool.wasServed ? 'agentsEjected' : 'agentsNeverServed';
  try {
    await pause(waits[wait].pollMs[0], signal);
    const result = await retry({ signal }, wait, send, (one) => !isEjected(one));
    const isBack = !isEjected(result);
    pool.wasServed ||= isBack;
    pool.isGivenUp = !isBack;
    return result;
  } finally {
    patience.waitedMs += performance.now() - from;
    pool.probe = undefined;
    resolveProbe();
  }
}

/** Failures in a row, more than breakers take as a rule before they eject an agent. */
const FAILURES = 24;

interface Prober {
  readonly api: Pick<RouterApi, 'chat'>;
  readonly backend: Pick<BackendControl, 'script' | 'counts'>;
  /** What the cases of a session share. */
  readonly session: object;
  readonly signal: AbortSignal;
}

/**
 * Sends requests whose every try fails, until one is not tried at all, or less often than one before it: health is the
 * fleet's own affair. `tries` is how often such a request was tried earlier, should agents be ejected already. Where no
 * request for the model was ever tried, the first of `others` that is tells of the router; none of them, and it may eject
 * all. Asked once for each model of a session; it costs a model its agents for a while.
 */
export async function ejectsItsAgents(
  t: Prober,
  model: string,
  tries = 0,
  others: readonly string[] = [],
): Promise<boolean> {
  for (const one of [model, ...others]) {
    const pool = patienceIn(t.session).poolOf(one);
    pool.ejects ??= findEjection(t, one, one === model ? tries : 0);
    const ejects = await pool.ejects;
    if (ejects !== undefined) return ejects;
  }
  return true;
}

async function findEjection(t: Prober, model: string, tries: number): Promise<boolean | undefined> {
  let most = tries;
  for (let left = FAILURES; left > 0; left -= 1) {
    const { exchange, hits } = await failEachTry(t, model);
    if (hits < most) return true;
    if (hits === 0 && mayBeEjected(exchange)) return undefined;
    most = Math.max(most, hits);
  }
  if (most !== 1) return false;
  // A session may wait for the first agent that is back, and find that one alone each time: after a rest it finds more.
  // Others may make the agents fail meanwhile.
  await rest(t, 'agentsRested');
  const fails = async () => failEachTry(t, model);
  return (await retry(t, 'agentsHealthy', fails, ({ hits }) => hits > most)).hits > most;
}

async function failEachTry({ api, backend }: Prober, model: string) {
  const script = await backend.script([respond(503, { error: { message: 'Scripted overload.' } })]);
  const exchange = await api.chat(model, { script, repeat: false });
  return { exchange, hits: (await backend.counts(script)).hits };
}

export interface PatienceOptions {
  /** How often a request whose every try fails was tried before. */
  readonly tries?: number;
  /** Models that tell whether the router ejects agents, where no engine was ever asked for this one. */
  readonly others?: readonly string[];
}

/**
 * The judgement of an attempt, made again after a while as long as it fails: health is the fleet's own affair, and a
 * router may leave an agent out for a moment that failed several times in a row. A router that never does what is asked
 * for fails each time. Throws `Inconclusive` when it fails to the end and the router is found to eject the agents of `model`
 * after failures: for how long is its own affair, too.
 */
export async function inTheEnd(
  t: Pick<RouterContext, 'api' | 'backend' | 'session' | 'signal'>,
  model: string,
  attempt: () => Promise<Judgement>,
  options: PatienceOptions = {},
): Promise<Judgement> {
  return unlessEjected(t, model, await eventually(t, 'agentsHealthy', attempt), options);
}

/**
 * A judgement as it is, where nothing is wrong or the router keeps agents that fail. Throws `Inconclusive` when it is found to
 * eject those of `model`: what went wrong may have been for want of them.
 */
export async function unlessEjected(
  t: Prober,
  model: string,
  judgement: Judgement,
  { tries, others }: PatienceOptions = {},
): Promise<Judgement> {
  if (judgement.violations.length === 0) return judgement;
  if (await ejectsItsAgents(t, model, tries, others)) {
    throw new Inconclusive(`the router leaves out agents of ${model} for longer after they failed`);
  }
  return judgement;
}
