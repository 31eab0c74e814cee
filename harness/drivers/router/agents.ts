/** The agents of a model, which are told apart by the listeners that they point at, and watched as they come back. */

import { complete } from '../../backend/behaviour.ts';
import { NotExercised } from '../../runner/case.ts';
import { unavailable } from './ejection.ts';
import { whileHeld } from './hold.ts';
import { provoke } from './provoke.ts';
import type { RouterContext } from './session.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import { isSuccess, succeeded } from '../../checks/router/outcome.ts';
import { pause } from '../../exchange/budget.ts';
import type { InferenceOptions, InferenceRoute } from './api.ts';
import { retry } from '../../runner/retry.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { hasCode } from '../../checks/router/envelope.ts';

/** Simultaneous requests: enough to reach both of two agents, however a router chooses among them. */
const AT_ONCE = 12;

/** Throws `NotExercised` when all requests arrive at one listener, even the second try of one that failed. */
export async function requireDistinctAgents(t: RouterContext, model: string): Promise<void> {
  if (await severalListeners(t, model)) return;
  throw new NotExercised(
    `every request for ${model} came in at one address of the scripted engine, so that its agents cannot be told apart: let each look for its engine at an address of its own`,
  );
}

/** Simultaneous requests that usually reveal two serving agents. */
const FEW_AT_ONCE = 4;

/** Whether several agents of the model serve now. No request fails, so that no agent is ejected for this. */
export async function severalServeNow(t: RouterContext, model: string): Promise<boolean> {
  return (await listenersAtOnce(t, model, FEW_AT_ONCE)) > 1;
}

/** The number of listeners at which up to `most` simultaneous requests arrive. */
async function listenersAtOnce(t: RouterContext, model: string, most: number): Promise<number> {
  const count = Math.min(most, t.sharedPlaces.mostHeld);
  const hits = await whileHeld(t, { count, model }, async ({ script }) => t.backend.hits(script));
  return new Set(hits.map(({ listener }) => listener)).size;
}

async function severalListeners(t: RouterContext, model: string): Promise<boolean> {
  const { script } = await provoke(t, [unavailable, complete()], { model });
  const tries = await t.backend.hits(script);
  if (new Set(tries.map(({ listener }) => listener)).size > 1) return true;
  return (await listenersAtOnce(t, model, AT_ONCE)) > 1;
}

/** How a request for the agent is sent: a router may treat one kind differently from another. */
interface RequestShape extends Pick<InferenceOptions, 'stream'> {
  readonly route: InferenceRoute;
}

/** Rounds in each of which the first request must fail before that counts. */
const ROUNDS = 3;
/** Least and most milliseconds that an agent gets to come back after its first request failed. */
const BACK_MS = { least: 300, most: 4_000 } as const;
/** Factor on the time that the agent was away in the last round. */
const LONGER = 4;

/**
 * Whether the first request of a kind is served after the only agent of a model went away and came back. A hook may end
 * before its agent is ready, and how a router learns of it is open. So after a failed first request the agent gets much
 * longer in the next round, and only a failure in every round counts. Not observed when requests of the kind are not
 * served to begin with.
 */
export async function servedAfterReturn(
  t: RouterContext,
  model: string,
  shape: RequestShape,
): Promise<Judgement> {
  const untilServed = async () => (await provoke(t, complete(), { ...shape, model })).exchange;
  if (!isSuccess(await untilServed())) return notObserved;
  for (let round = 1, backMs = 0; ; round += 1) {
    await t.hook('disconnectAgent');
    await t.hook('reconnectAgent');
    await pause(backMs, t.signal);
    const from = performance.now();
    const first = await t.api.infer(shape.route, model, {
      ...shape,
      script: await t.backend.script([complete()]),
    });
    if (isSuccess(first)) return succeeded(first);
    const later = await retry(t, 'returns', untilServed, isSuccess);
    const awayMs = performance.now() - from;
    if (!isSuccess(later) || LONGER * awayMs > BACK_MS.most) return succeeded(later);
    if (round === ROUNDS) return succeeded(first);
    backMs = Math.max(BACK_MS.least, LONGER * awayMs);
  }
}

/** Whether a model answers that its agents have no slot left; nothing else of the router is full then. */
const areSlotsTaken = hasCode('no_capacity', 'no_agents_available');

/** Models that serve a scripted chat, the plain one first. Held requests could push a shedding one over its threshold. */
export function chattingModels({ models }: Pick<RouterContext, 'models'>): readonly string[] {
  const { chat, pair, fallback, provider } = models;
  return [...new Set([chat, pair, fallback, provider].filter((id) => id !== undefined))];
}

/** Sends to one model after the other until one has a slot, or the request ends otherwise; returns its response. */
export async function firstWithRoom(
  [model = '', ...others]: readonly string[],
  send: (model: string) => Promise<Exchange>,
): Promise<Exchange> {
  const exchange = await send(model);
  return others.length > 0 && areSlotsTaken(exchange) ? firstWithRoom(others, send) : exchange;
}
