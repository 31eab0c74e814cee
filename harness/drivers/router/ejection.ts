/** Waiting for agents that a router ejects after failures. For how long it does is open, and it asks no engine meanwhile. */

import { hasCode, isInternalFailure } from '../../checks/router/envelope.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { pause } from '../../exchange/budget.ts';
import { type Delivery, respond } from '../../backend/behaviour.ts';
import type { BackendControl } from '../../backend/control.ts';
import type { RouterApi } from './api.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { Inconclusive } from '../../runner/case.ts';
import type { RouterContext } from './session.ts';
import { eventually, rest, retry } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';

/** An engine that fails with this status, with further members of its error, delivered in this way. */
export const failing = (
  status: number,
  error: Readonly<Record<string, string>> = {},
  delivery: Delivery = {},
) => respond(status, { error: { message: 'Scripted failure.', ...error } }, delivery);

/** An engine that refuses for the moment, after which the routing session goes on. */
export const unavailable = failing(503);

/** Milliseconds that a session waits in all: a router that ejects agents after every failure must not hold up the run. */
const MAX_MS = 150_000;
/** Further milliseconds that it waits for agents that no case makes fail any more. */
const SPARED_MS = 30_000;

/** What a session knows of the agents of one model. */
class Pool {
  wasServed = false;
  /** True once its agents were found ejected. */
  wasEjected = false;
  /** True once waiting was in vain, until the agents serve again. */
  isGivenUp = false;
  /** The one request that probes whether the agents are back; the other requests wait for its result. */
  probe: Promise<void> | undefined;
  /** Whether the agents are ejected after failures; undefined when none was ever asked. Determined once. */
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

/** Whether no time is left to wait for ejected agents of a model, so that no case should make them fail any more. */
export function mustSpareAgents(session: object, model: string): boolean {
  const patience = patienceIn(session);
  return patience.waitedMs >= MAX_MS && patience.poolOf(model).wasEjected;
}

/** Whether a request that reached no engine may be served when repeated: the router failed, or its agents are ejected. */
export function mayBeServedAgain(exchange: Exchange): boolean {
  return mayBeEjected(exchange) || isInternalFailure(exchange);
}

/** Whether no engine saw a request, and one may see the next. */
export function mayReachLater(one: { readonly exchange: Exchange; readonly hits: number }) {
  return one.hits === 0 && mayBeServedAgain(one.exchange);
}

/** Whether agents may be ejected for a moment. A model without agents gets the same response. */
export const mayBeEjected = hasCode('no_agents_available');

export interface EjectionOptions<T> {
  readonly model: string;
  readonly isEjected: (result: T) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Repeats a request while `isEjected` holds for its result, until patience ends. `session` identifies what the cases of a
 * run share: of several requests that find the agents of a model ejected one probes for them, and the others wait.
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

/** The same for a request whose response alone shows whether the agents of its model are ejected. */
export async function onceServed(
  t: { readonly session: object; readonly signal: AbortSignal },
  model: string,
  send: () => Promise<Exchange>,
): Promise<Exchange> {
  return onceReturned(t.session, send, { model, isEjected: mayBeServedAgain, signal: t.signal });
}

/** Sends until the agents are back, while other requests wait for that. */
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

/** Failures in a row: more than circuit breakers usually take before they eject an agent. */
const FAILURES = 24;

interface Prober {
  readonly api: Pick<RouterApi, 'chat'>;
  readonly backend: Pick<BackendControl, 'script' | 'counts'>;
  readonly session: object;
  readonly signal: AbortSignal;
}

/**
 * Sends requests whose every try fails, until one is not tried at all or less often than an earlier one, since health
 * checks are open. `tries` is how often such a request was tried before, in case agents are ejected already. If no request
 * for the model was ever tried, the first of `others` that is decides; if none is, the router may eject all. Determined
 * once for each model of a session, since it costs the model its agents for a while.
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
  // A routing session may wait for the first agent that is back and find only that one each time; after a rest it finds
  // more. Other cases may make the agents fail meanwhile.
  await rest(t, 'agentsRested');
  const fails = async () => failEachTry(t, model);
  return (await retry(t, 'agentsHealthy', fails, ({ hits }) => hits > most)).hits > most;
}

async function failEachTry({ api, backend }: Prober, model: string) {
  const script = await backend.script([unavailable]);
  const exchange = await api.chat(model, { script, repeat: false });
  return { exchange, hits: (await backend.counts(script)).hits };
}

export interface PatienceOptions {
  /** How often a request whose every try fails was tried before. */
  readonly tries?: number;
  /** Models that show whether the router ejects agents, when no engine was ever asked for this one. */
  readonly others?: readonly string[];
}

/**
 * Repeats an attempt for a while until its judgement has no violation, since a router may eject an agent for a moment
 * after several failures in a row. A router that never does what is required fails each time. Throws `Inconclusive` when
 * the last attempt fails and the router is found to eject the agents of `model`, since it is open for how long.
 */
export async function inTheEnd(
  t: Pick<RouterContext, 'api' | 'backend' | 'session' | 'signal'>,
  model: string,
  attempt: () => Promise<Judgement>,
  options: PatienceOptions = {},
): Promise<Judgement> {
  return unlessEjected(t, model, await eventually(t, 'agentsHealthy', attempt), options);
}

/** Returns the judgement, but throws `Inconclusive` for a violation that ejected agents of `model` may explain. */
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
