/** A model that is filled: what it takes at once, what becomes of more, and that it serves again. */

import { complete } from '../../backend/behaviour.ts';
import {
  allAtOnce,
  type BeyondPlaces,
  isOverConcurrency,
  mostBesideAll,
  refusedForSlots,
  withinPlaces,
} from '../../checks/limits/together.ts';
import { hitsOfRefused, type Holding, whileHeld } from './hold.ts';
import { type Judgement, notObserved, pass, together, violated } from '../../checks/judgement.ts';
import { endOf } from '../../checks/reading.ts';
import { codeOf, hasCode, isInternalFailure } from '../../checks/router/envelope.ts';
import { isSuccess, outcomeText, succeeded } from '../../checks/router/outcome.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type RequestShape, requestShapes, shapesAndKeys } from './client-routes.ts';
import { firstAnswer, provoke, type ProvokeOptions } from './provoke.ts';
import { mayBeEjected } from './ejection.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import type { RouterContext } from './session.ts';
import { metDeadline } from './deadlines.ts';
import { parksTooLong } from './parking.ts';
import { limitMs, retry, underWay } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';
import { requireFreeKey } from './key-quotas.ts';

export interface ModelLimit {
  readonly model: string;
  /** As many requests as the model takes at once. */
  readonly capacity: number;
  /** The code with which the model says that they are taken; nobody but the case takes any. */
  readonly full: 'no_capacity' | 'concurrency_limit_exceeded';
}

/** Asks until the model serves, which a leak prevents for ever. */
export async function servesAgain(
  t: RouterContext,
  { model, full }: ModelLimit,
): Promise<Judgement> {
  return cameBack(t, async () => (await provoke(t, complete(), { model })).exchange, full);
}

/** Whether nobody serves a model: it is not there, or no agent or engine of it is. No place that is kept explains that. */
export const isServedByNobody = hasCode(
  'model_not_found',
  'no_agents_available',
  'agent_disconnected',
  'backend_unavailable',
);

/** Whether the plain model ends so where requests of every model keep what they take. */
const isFullEverywhere = hasCode('no_capacity', 'concurrency_limit_exceeded', 'request_timeout');

/**
 * Sends until it is served, which a leak prevents for ever. Throws `Inconclusive` when the plain chat model is not served
 * either: then it is not what somebody holds; unless what only the case could have filled says, with the code `full`,
 * that it is, and the plain model seems to be full, too.
 */
export async function cameBack(
  t: RouterContext,
  send: () => Promise<Exchange>,
  full?: ModelLimit['full'],
): Promise<Judgement> {
  const soon = await retry(t, 'returns', send, isSuccess);
  // Agents that rest after a failure come back, later than what a request held; what leaks stays away.
  const late = mayBeEjected(soon) ? await retry(t, 'agentsReturn', send, isSuccess) : soon;
  if (isSuccess(late)) return pass();
  const { chat } = t.models;
  if (chat !== undefined) {
    const { exchange } = await provoke(t, complete(), { model: chat, inAnyCase: true });
    const isFull = codeOf(late) === full && isFullEverywhere(exchange);
    if (!isSuccess(exchange) && !isFull) {
      throw new Inconclusive(`the plain chat model is not served either (${outcomeText(late)})`);
    }
  }
  // A target that had too much to do to be in time has that behind it now.
  const last = await send();
  if (isSuccess(last)) return pass();
  // For how long an agent is left out after a failure is the fleet's own affair: only a full place is one that was kept.
  if (mayBeEjected(last)) {
    throw new Inconclusive(`its agents are still left out after a failure (${outcomeText(last)})`);
  }
  if (isServedByNobody(last)) {
    throw new NotExercised(
      `needs a model that is served at all, and this one is answered ${outcomeText(last)}`,
    );
  }
  return violated(
    'What requests held did not come back.',
    { expected: 'a success within seconds', actual: outcomeText(last) },
    last,
  );
}

/**
 * Whether all places of a model are free again (`back`), it takes no more requests at once than before (`once`), and those that
 * were served then give their places back (`onwards`).
 */
export async function recovery(t: RouterContext, limit: ModelLimit) {
  const first = await takesNoMore(t, limit);
  const wereAllHeld = first.seen > 0;
  // All that were held at once are free; otherwise one may come back a moment late.
  const back = wereAllHeld ? pass() : await servesAgain(t, limit);
  if (back.violations.length > 0) return { back, once: first, onwards: notObserved };
  const once = wereAllHeld ? first : await takesNoMore(t, limit);
  return { back, once, onwards: await servesAgain(t, limit) };
}

/**
 * Whether a model whose places are filled takes no more at once. One request more is sent, which may park or queue. Not
 * observed where the places could not be filled, as where one comes back a moment after its answer.
 */
export async function takesNoMore(t: RouterContext, limit: ModelLimit): Promise<Judgement> {
  const { model, capacity } = limit;
  const send = async (script: string) => t.api.chat(model, { script, unbounded: true });
  const fill = { count: capacity, send, patienceMs: limitMs('returns') };
  return whileHeld(t, fill, async ({ early, script, release, answers }) => {
    if (early.length > 0 || (await t.backend.counts(script)).held < capacity) return notObserved;
    // The same script: should it be let in, the engine holds it beside the others.
    const beyond = underWay(send(script));
    await t.allSent();
    const options = { timeoutMs: limitMs('letIn'), signal: t.signal };
    const letIn = t.backend.waitFor(script, { held: capacity + 1 }, options).catch(() => undefined);
    await Promise.race([beyond, letIn]);
    const hits = await t.backend.hits(script);
    await release();
    const peak = mostBesideAll(hits, capacity, firstDeadline(t, await answers));
    return withinPlaces(peak, limit, await beyond);
  });
}

/** How often the places of a model are filled. */
const ROUNDS = 3;

/** So many requests fill the places in all, at least, where there are few of them: every other may be refused. */
const FILLING = 8;

/**
 * Sends as many requests as a model has places, some times over, and then more of each kind while it is full: whether all
 * were served `at` once, and it was free again; and those `beyond`, none where places were lost before, which are overdue
 * where they were still parked long after their park time.
 */
export async function fillModel(t: RouterContext, limit: ModelLimit) {
  const { model, capacity } = limit;
  const send = async (script: string) => t.api.chat(model, { script, unbounded: true });
  // Places that come back a moment after their answer do so each time: what one round waited for, the next ones wait before.
  let settleMs = 0;
  const held = async <T>(act: (holding: Holding) => Promise<T>): Promise<T> => {
    await pause(settleMs, t.signal);
    return whileHeld(t, { count: capacity, send }, act);
  };
  const fillOnce = async () =>
    held(async ({ early }) => Promise.resolve(allAtOnce(early, capacity)));
  // Shared by all rounds: some may find a place taken, and not each of them.
  const rest = { ...waits.placesTaken, pausesMs: noted(waits.placesTaken.pausesMs) };
  function* noted(pausesMs: Iterable<number>) {
    for (const ms of pausesMs) {
      settleMs += ms;
      yield ms;
    }
  }
  const at: Judgement[] = [];
  for (let left = Math.max(ROUNDS, Math.ceil(FILLING / capacity)) - 1; left > 0; left -= 1) {
    const filled = await retry(t, rest, fillOnce, isKept);
    if (!isKept(filled)) {
      const back = await servesAgain(t, limit);
      // A place that was lost before anybody was served was kept by something else than a success.
      if (at.length === 0) return { at: filled, back: notObserved, ...NONE_BEYOND };
      // A place that a success keeps must not be taken for one that the limit lacks.
      return { at: together(...at, ...(isKept(back) ? [filled] : [])), back, ...NONE_BEYOND };
    }
    at.push(filled);
  }
  const ask = async () =>
    held(async (holding) =>
      holding.early.some(isOverConcurrency)
        ? { served: allAtOnce(holding.early, capacity), ...NONE_BEYOND }
        : askBeyond(t, limit, holding),
    );
  const { served, ...beyond } = await retry(t, rest, ask, (asked) => asked.beyond.length > 0);
  return { at: together(...at, served), back: await servesAgain(t, limit), ...beyond };
}

function isKept({ violations }: Judgement): boolean {
  return violations.length === 0;
}

const NONE_BEYOND = { beyond: [], isOverdue: false, other: undefined };

/** Sends one more of each kind while a model is full, and lets those go that fill it: they are served. */
async function askBeyond(
  t: RouterContext,
  { model, capacity }: ModelLimit,
  { early, script, release, answers }: Holding,
) {
  if (early.length > 0) throw new Inconclusive(`the places of ${model} could not be filled`);
  const isFull = async () => (await t.backend.counts(script)).held >= capacity;
  const shapes = shapesAndKeys(t);
  const sent = Promise.all(shapes.map(async (shape) => oneBeyond(t, model, shape)));
  const { isOverdue, other } = await parksTooLong(t, sent, isFull);
  const beyond = await sent;
  await requireFreeKey(
    t,
    beyond.map(({ exchange }) => exchange),
  );
  if (!isOverdue && !(await isFull())) {
    throw new Inconclusive(`the requests that took the places of ${model} ended too soon`);
  }
  await release();
  // One that its engine held past the deadline was let go for that.
  const mayFail = (exchange: Exchange): boolean =>
    metDeadline(exchange, t.limits.requestTimeoutMs) || isInternalFailure(exchange);
  const served = (await answers).filter((exchange) => !mayFail(exchange)).map(succeeded);
  const shown: BeyondPlaces[] = [];
  for (const [at, one] of beyond.entries()) {
    const native =
      one.native || (await isRefusedForRoom(t, one.exchange, { ...shapes[at], model }));
    shown.push({ ...one, native });
  }
  const allServed = together(allAtOnce(early, capacity), ...served);
  return { served: allServed, beyond: shown, isOverdue, other };
}

/**
 * Whether a request that was refused under another code than that of a full limit is served once there is room: the limit
 * refused it. `isNamed` tells the right codes (default concurrency_limit_exceeded).
 */
export async function isRefusedForRoom(
  t: RouterContext,
  refused: Exchange,
  asked: ProvokeOptions,
  isNamed = isOverConcurrency,
): Promise<boolean> {
  if (isSuccess(refused) || isNamed(refused)) return false;
  return isSuccess((await provoke(t, complete(), asked)).exchange);
}

/** One more request of a kind, to an engine that answers. What the messages route cannot serve is refused for that. */
async function oneBeyond(
  t: RouterContext,
  model: string,
  shape: RequestShape,
): Promise<BeyondPlaces> {
  let hits = 0;
  const exchange = await firstAnswer(async (call) => {
    const options = { ...shape, ...call, model, unbounded: true };
    const provoked = await provoke(t, complete(), options);
    hits = Math.max(provoked.hits, await hitsOfRefused(t, provoked.script));
    return provoked.exchange;
  });
  return { exchange, hits, native: shape.route === 'chat' && shape.as === undefined };
}

/**
 * Fills the slots of an agent, and sends one more of each kind, for which its engine waits as well: how those beyond ended,
 * and the most requests that the engine saw at once while those that fill the slots were there.
 */
export async function fillSlots(t: RouterContext, { model, capacity }: ModelLimit) {
  const send = async (script: string) => t.api.chat(model, { script, unbounded: true });
  const fill = { count: capacity, send, full: model };
  const { sent, answers, script } = await whileHeld(t, fill, async (holding) => {
    // The same script: whoever gets a slot at the last moment is held too, and not served.
    const options = { script: holding.script, unbounded: true };
    const sent = requestShapes.map(async ({ route, stream }) => ({
      asked: { route, stream, model },
      exchange: await firstAnswer(async (call) =>
        t.api.infer(route, model, { ...options, ...call, stream }),
      ),
    }));
    return { ...holding, sent: await t.yieldTarget(async () => Promise.all(sent)) };
  });
  const hits = await t.backend.hits(script);
  const filling = await answers;
  const endsAt = Math.min(firstDeadline(t, filling), ...filling.map(endOf));
  const isNamed = (exchange: Exchange) => refusedForSlots(exchange).violations.length === 0;
  const beyond: Omit<BeyondPlaces, 'hits'>[] = [];
  for (const { asked, exchange } of sent) {
    const native = asked.route === 'chat' || (await isRefusedForRoom(t, exchange, asked, isNamed));
    beyond.push({ exchange, native });
  }
  return { beyond, peak: mostBesideAll(hits, capacity, endsAt) };
}

/** When the first of some requests met its deadline at the earliest, which a busy client sees long after. */
function firstDeadline(
  { limits: { requestTimeoutMs = Infinity } }: RouterContext,
  answers: readonly Exchange[],
): number {
  return Math.min(...answers.map(({ startedAt }) => startedAt + requestTimeoutMs));
}
