/** Fills a model: what it takes at once, how further requests end, and whether it serves again. */

import { complete } from '../../backend/behaviour.ts';
import {
  allAtOnce,
  type BeyondPlaces,
  isOverConcurrency,
  mostBesideAll,
  refusedForSlots,
  withinPlaces,
} from '../../checks/limits/together.ts';
import { gaveUpBefore } from '../../checks/limits/deadline.ts';
import { hitsOfRefused, type Holding, whileHeld } from './hold.ts';
import { type Judgement, notObserved, pass, together, violated } from '../../checks/judgement.ts';
import { codeOf, hasCode, isInternalFailure } from '../../checks/router/envelope.ts';
import { isSuccess, outcomeText, succeeded } from '../../checks/router/outcome.ts';
import { pause } from '../../exchange/budget.ts';
import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { ladenShape, type RequestShape, requestShapes, shapesAndKeys } from './client-routes.ts';
import { firstAnswer, provoke, type ProvokeOptions } from './provoke.ts';
import { mayBeEjected } from './ejection.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import type { RouterContext } from './session.ts';
import { metDeadline } from './deadlines.ts';
import { parksTooLong } from './parking.ts';
import { limitMs, retry } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';
import { requireFreeKey } from './key-quotas.ts';

export interface ModelLimit {
  readonly model: string;
  /** Requests that the model takes at once. */
  readonly capacity: number;
  /** The code of a full model; only the case itself fills this one. */
  readonly full: 'no_capacity' | 'concurrency_limit_exceeded';
}

/** Sends until the model serves, which it never does after a leak. */
export async function servesAgain(
  t: RouterContext,
  { model, full }: ModelLimit,
): Promise<Judgement> {
  return cameBack(t, async () => (await provoke(t, complete(), { model })).exchange, full);
}

/** Whether nobody serves a model: it is unknown, or without an agent or engine. A leaked place does not explain that. */
export const isServedByNobody = hasCode(
  'model_not_found',
  'no_agents_available',
  'agent_disconnected',
  'backend_unavailable',
);

/** Whether the model does not take the request itself, for any key: a leaked place does not explain that, either. */
const isBeyondModel = hasCode('context_length_exceeded', 'invalid_parameter', 'input_too_long');

/** Responses of the plain model when requests of every model leak what they hold. */
const isFullEverywhere = hasCode('no_capacity', 'concurrency_limit_exceeded', 'request_timeout');

/**
 * Sends until a request is served, which never happens after a leak. Throws `Inconclusive` when the plain chat model is
 * not served either, since then no leak is to blame. But if the request is refused with the code `full`, which only the
 * case can have caused, and the plain model seems full as well, that is a leak of all models.
 */
export async function cameBack(
  t: RouterContext,
  send: () => Promise<Exchange>,
  full?: ModelLimit['full'],
): Promise<Judgement> {
  const soon = await retry(t, 'returns', send, isSuccess);
  // Ejected agents come back later than what a request held; a leak never does.
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
  // A target that was overloaded may have caught up by now.
  const last = await send();
  if (isSuccess(last)) return pass();
  // How long an agent is ejected after a failure is open, so only a full model shows a leak.
  if (mayBeEjected(last)) {
    throw new Inconclusive(`its agents are still left out after a failure (${outcomeText(last)})`);
  }
  if (isServedByNobody(last) || isBeyondModel(last)) {
    throw new NotExercised(
      `needs a model that serves such a request, and this one is answered ${outcomeText(last)}`,
    );
  }
  return violated(
    'The places that requests held were not freed.',
    { expected: 'a success within seconds', actual: outcomeText(last) },
    last,
  );
}

/** Whether all places are free (`back`), no more are taken than before (`once`), and successes free them (`onwards`). */
export async function recovery(t: RouterContext, limit: ModelLimit) {
  const first = await takesNoMore(t, limit);
  const wereAllHeld = first.seen > 0;
  // If all were held at once, all are free; otherwise one may come back slightly late.
  const back = wereAllHeld ? pass() : await servesAgain(t, limit);
  if (back.violations.length > 0) return { back, once: first, onwards: notObserved };
  const once = wereAllHeld ? first : await takesNoMore(t, limit);
  return { back, once, onwards: await servesAgain(t, limit) };
}

/**
 * Sends one request more than a model has places for, all at once: whether it takes no more than those. Not observed when
 * not all places are taken, for example because one comes back a moment late.
 */
export async function takesNoMore(t: RouterContext, limit: ModelLimit): Promise<Judgement> {
  const { model, capacity } = limit;
  const fill = { count: capacity + 1, beyond: 1, model, patienceMs: limitMs('returns') };
  return whileHeld(t, fill, async ({ script, release, answers }) => {
    if ((await t.backend.counts(script)).held < capacity) return notObserved;
    const hits = await t.backend.hits(script);
    await release();
    const all = await answers;
    const peak = mostBesideAll(hits, capacity, firstDeadline(t, all));
    return withinPlaces(peak, limit, ...all.slice(-1));
  });
}

/** How often the places of a model are filled. */
const ROUNDS = 3;

/** Least number of requests over all rounds, for models with few places: a router may refuse every second one. */
const FILLING = 8;

/**
 * Fills a model several times, then sends one more request of each kind. `at` judges whether each filling was served at
 * once, `back` whether the model is free again. `beyond` has the further requests, none when a place was lost before;
 * `isOverdue` says that they were still parked long after their park time.
 */
export async function fillModel(t: RouterContext, limit: ModelLimit) {
  const { model, capacity } = limit;
  // Places that come back slightly after their response do so each time, so later rounds wait as long beforehand.
  let settleMs = 0;
  const held = async <T>(act: (holding: Holding) => Promise<T>): Promise<T> => {
    await pause(settleMs, t.signal);
    return whileHeld(t, { count: capacity, model }, act);
  };
  const fillOnce = async () =>
    held(async ({ early }) => Promise.resolve(allAtOnce(early, capacity)));
  // Shared by all rounds: some of them may find a place taken, but not each.
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
      // A place that was lost before any request was served was not kept by a success.
      if (at.length === 0) return { at: filled, back: notObserved, ...NONE_BEYOND };
      // A place that a success keeps must not count as one that the limit lacks.
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

/** Sends one more request of each kind while a model is full, then releases those that fill it, which must be served. */
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
  // A request that was held past its deadline was ended for that.
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
 * Whether a request that was refused with another code than the limit's is served once there is room, so that the limit
 * refused it. `isNamed` recognises the limit's codes (default concurrency_limit_exceeded).
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

function isNative({ route, laden }: RequestShape): boolean {
  return route === 'chat' && laden !== true;
}

/** One more request of a kind, to an engine that answers. All but the plain kinds may be refused for a reason of their own. */
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
  return { exchange, hits, native: isNative(shape) && shape.as === undefined };
}

/** Fills the slots of an agent and sends one more of each kind; returns how those ended, and the peak at the engine. */
export async function fillSlots(t: RouterContext, { model, capacity }: ModelLimit) {
  const fill = { count: capacity, full: model };
  const { sent, answers, script } = await whileHeld(t, fill, async (holding) => {
    // The same script, so that a request that gets a slot at the last moment is held and not served.
    const options = { script: holding.script, unbounded: true };
    const asking = [...requestShapes, ladenShape].map(async ({ route, ...shape }) => ({
      asked: { route, ...shape, model },
      exchange: await firstAnswer(async (call) =>
        t.api.infer(route, model, { ...options, ...call, ...shape }),
      ),
    }));
    return { ...holding, sent: await t.yieldTarget(async () => Promise.all(asking)) };
  });
  const hits = await t.backend.hits(script);
  const filling = await answers;
  const endsAt = Math.min(firstDeadline(t, filling), ...filling.map(endOf));
  const isNamed = (exchange: Exchange) => refusedForSlots(exchange).violations.length === 0;
  // Agents that gave up a holder may have handed its slot on, and given up the next request as well.
  const { requestTimeoutMs = Infinity } = t.limits;
  const isHandedOn = filling.some((one) => gaveUpBefore(one, requestTimeoutMs));
  const beyond: Omit<BeyondPlaces, 'hits'>[] = [];
  for (const { asked, exchange } of sent) {
    const native =
      !isHandedOn && (isNative(asked) || (await isRefusedForRoom(t, exchange, asked, isNamed)));
    beyond.push({ exchange, native });
  }
  return { beyond, peak: mostBesideAll(hits, capacity, endsAt) };
}

/** The earliest time at which one of these requests can have met its deadline; a busy client sees it much later. */
function firstDeadline(
  { limits: { requestTimeoutMs = Infinity } }: RouterContext,
  answers: readonly Exchange[],
): number {
  return Math.min(...answers.map(({ startedAt }) => startedAt + requestTimeoutMs));
}
