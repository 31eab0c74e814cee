/** Requests that no engine answers, kept until their deadline, and requests that met it because the machine was slow. */

import { type Behaviour, stall } from '../../backend/behaviour.ts';
import {
  endedFarBeyond,
  endedLate,
  gaveUpBefore,
  isFarTooLate,
  keptByEngine,
  type KeptRequests,
  outlasted,
} from '../../checks/limits/deadline.ts';
import {
  acceptableFinalCodes,
  endedWith,
  isSuccess,
  outcomeText,
} from '../../checks/router/outcome.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/case.ts';
import { requireFixture } from './fixtures.ts';
import { failing, unavailable } from './ejection.ts';
import { whileHeld } from './hold.ts';
import type { InferenceOptions, InferenceRoute } from './api.ts';
import { type RouterContext, required } from './session.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import { underWay } from '../../runner/retry.ts';
import { isEmptyStream } from '../../checks/router/stream-delivery.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import { asksForStream } from '../../checks/router/route.ts';

/** A kind of request; `model` is for routes that need a model of their own. */
interface RequestShape extends Pick<InferenceOptions, 'stream' | 'timeoutMs'> {
  readonly route?: InferenceRoute;
  readonly model?: string;
}

/** Kinds of requests with the same deadline, the plain one first, as far as there are models for them. */
function shapesOf({ models: { embedding, reranker } }: RouterContext): readonly RequestShape[] {
  return [
    {},
    { stream: true },
    { route: 'messages' },
    { route: 'messages', stream: true },
    { route: 'countTokens' },
    ...(embedding === undefined ? [] : [{ route: 'embeddings' as const, model: embedding }]),
    ...(reranker === undefined ? [] : [{ route: 'rerank' as const, model: reranker }]),
  ];
}

/** The end-to-end deadline of the target file, in milliseconds. Throws `NotExercised` without one. */
export function deadlineOf(t: Pick<RouterContext, 'limits'>): number {
  return required(t.limits.requestTimeoutMs, 'limits.requestTimeoutMs');
}

/** Sends one request of each shape to engines that never complete a response, and yields the target until they end. */
export async function unanswered(
  t: RouterContext,
  model: string,
  shapes: readonly RequestShape[] = [{}],
  behaviours: readonly Behaviour[] = [stall()],
) {
  const send = async (script: string, index: number) => {
    const { route = 'chat', model: own = model, ...shape } = shapes[index] ?? {};
    return t.api.infer(route, own, { ...shape, script, unbounded: true, repeat: false });
  };
  const fill = { count: shapes.length, send, behaviours };
  return whileHeld(t, fill, async ({ script, answers }) => {
    const [exchange, ...others] = await t.yieldTarget(async () => answers);
    if (exchange === undefined) throw new Inconclusive('nothing was sent');
    const hits = await t.backend.hits(script);
    if (hits.length === 0) throw new Inconclusive(`${model} did not ask the scripted backend`);
    return { exchange, others, hits };
  });
}

/** Pauses before requests after a late one, so that each begins at another phase of what the router does periodically. */
const SHIFTS_MS = [370, 930];

/**
 * Keeps a request of each kind until its deadline, all at the same time, as far as the router's concurrency allows. Those
 * that end far too late are sent again, when the machine may have less load. After a plain one that is slightly late,
 * further ones are sent one after the other.
 */
export async function keptToDeadline(t: RouterContext): Promise<KeptRequests> {
  const deadlineMs = deadlineOf(t);
  const model = requireFixture(t, 'chat');
  const shapes = shapesOf(t).slice(0, Math.max(1, t.sharedPlaces.mostHeld));
  const { exchange: plain, others, hits } = await unanswered(t, model, shapes);
  if (gaveUpBefore(plain, deadlineMs)) {
    throw new Inconclusive(
      `the agents gave a silent engine up after ${Math.round(plain.durationMs)} ms (${outcomeText(plain)}), before the deadline of ${deadlineMs} ms`,
    );
  }
  const first = [plain, ...others] as const;
  const kept = keptByEngine({ first, hits }, deadlineMs);
  const isLate = (exchange: Exchange): boolean =>
    kept.includes(exchange) && endedFarBeyond(exchange, deadlineMs);
  const repeats = first.flatMap((one, at) => (isLate(one) ? shapes.slice(at, at + 1) : []));
  if (repeats.length > 0) {
    const { exchange, others: rest } = await unanswered(t, model, repeats);
    return { first, hits, repeated: [exchange, ...rest], inTurn: [] };
  }
  const isPlainLate = async () => {
    if (!kept.includes(plain) || !endedLate(plain, deadlineMs)) return false;
    // The way to the router and back takes as long for what needs no engine.
    const { durationMs: wayMs } = await t.api.models();
    return endedLate(plain, deadlineMs + wayMs);
  };
  if (!(await isPlainLate())) return { first, hits, repeated: [], inTurn: [] };
  const inTurn = [plain];
  for (const shiftMs of SHIFTS_MS) {
    await t.yieldTarget(async () => pause(shiftMs, t.signal));
    inTurn.push((await unanswered(t, model)).exchange);
  }
  return { first, hits, repeated: [], inTurn };
}

/**
 * Keeps requests whose engine is silent after the head of its response, one of each kind as far as the router's
 * concurrency allows; `repeated` are those again that ended far too late.
 */
export async function keptAfterHead(t: RouterContext) {
  const whole = shapesOf(t).filter(({ stream }) => stream !== true);
  const shapes = whole.slice(0, Math.max(1, t.sharedPlaces.mostHeld));
  return keptOrRepeated(t, shapes, stall('after-head'));
}

/** As `keptAfterHead`, for one request whose engine is silent after the head of an error. */
export async function keptInError(t: RouterContext) {
  return keptOrRepeated(t, [{}], failing(503, {}, { hold: 'after-head' }));
}

async function keptOrRepeated(
  t: RouterContext,
  shapes: readonly RequestShape[],
  behaviour: Behaviour,
) {
  const model = requireFixture(t, 'chat');
  const ask = async (some: readonly RequestShape[]) => {
    const { exchange, others } = await unanswered(t, model, some, [behaviour]);
    return [exchange, ...others];
  };
  const first = await ask(shapes);
  const isLate = (one: Exchange): boolean => isFarTooLate(one, deadlineOf(t));
  const late = first.flatMap((one, at) => (isLate(one) ? shapes.slice(at, at + 1) : []));
  return { first, repeated: late.length === 0 ? [] : await ask(late) };
}

/** Milliseconds beyond its deadline after which a stream shows that no deadline ends it. */
const STREAM_GOES_ON_MS = 1_500;

/** A stream whose engine is silent once it has begun. It ends at its deadline, or goes on until the client gives up. */
export async function keptInStream(t: RouterContext): Promise<Exchange> {
  const shape = { stream: true, timeoutMs: deadlineOf(t) + STREAM_GOES_ON_MS };
  const silent = [stall({ afterEvents: 1 })];
  return (await unanswered(t, requireFixture(t, 'chat'), [shape], silent)).exchange;
}

/** When a first try fails: after this part of the deadline, within bounds that make the delay visible. */
const FIRST_FAILS = { part: 0.3, leastMs: 1_750, mostMs: 5_000 } as const;

/**
 * Sends a request whose engine fails after a while, `times` in all (default 1), and then is silent; waits for its end
 * while other cases work. `failedMs` is how long the failures took; undefined when no further engine was asked.
 */
export async function silentAfterFailures(t: RouterContext, model: string, times = 1) {
  const { part, leastMs, mostMs } = FIRST_FAILS;
  const delayHeadMs = Math.round(Math.min(mostMs, Math.max(leastMs, part * deadlineOf(t))));
  const others = Array.from({ length: times - 1 }, () => unavailable);
  const behaviours = [failing(503, {}, { delayHeadMs }), ...others, stall()];
  const send = async (script: string) =>
    t.api.chat(model, { script, unbounded: true, repeat: false });
  // Other cases are about to fill all processors, so this waits until the request has got one.
  const fill = { count: 1, arrivedOnce: 'asked', behaviours, send } as const;
  return whileHeld(t, fill, async ({ script, answers }) => {
    const [exchange] = await t.yieldTarget(async () => answers);
    if (exchange === undefined) throw new Inconclusive('nothing was sent');
    const hits = await t.backend.hits(script);
    const [first, silent] = [hits[0], hits[times]];
    const isConclusive = first !== undefined && silent !== undefined;
    return { exchange, failedMs: isConclusive ? silent.at - first.at : undefined };
  });
}

/** Fills a model with requests that are kept until their deadline, and sends one more (`late`); resolves when all ended. */
export async function fillToDeadline(
  t: RouterContext,
  { model, capacity }: { readonly model: string; readonly capacity: number },
) {
  const deadlineMs = deadlineOf(t);
  const send = async (script: string) => t.api.chat(model, { script, unbounded: true });
  return whileHeld(t, { count: capacity, send, full: model }, async ({ script, answers }) => {
    const further = underWay(send(script));
    const [late, held] = await t.yieldTarget(async () => Promise.all([further, answers]));
    // The slot of a request that an agent gives up is handed on, to an engine that is silent, too.
    return { late, wasGivenUp: held.some((one) => gaveUpBefore(one, deadlineMs)) };
  });
}

/** The shortest deadline that is assumed when the target file does not state it. */
const MIN_DEADLINE_MS = 1_000;

/** Whether an engine with these behaviours answers or ends the connection by itself. */
export function answersByItself(behaviours: readonly Behaviour[]): boolean {
  return behaviours.every((one) => !('hold' in one));
}

/** Whether a request was ended at the deadline; an earlier request_timeout is a mistake of the router. */
export function metDeadline(exchange: Exchange, deadlineMs = MIN_DEADLINE_MS): boolean {
  return codeOf(exchange) === 'request_timeout' && outlasted(exchange, deadlineMs);
}

/** Whether a stream that had begun still ran at the deadline, which may have cut it; one that the client left did not. */
export function mayBeCutByDeadline(exchange: Exchange, deadlineMs = MIN_DEADLINE_MS): boolean {
  const endedByItself = exchange.ending !== 'timeout' && exchange.ending !== 'aborted';
  return (
    isSuccess(exchange) &&
    asksForStream(exchange) &&
    endedByItself &&
    outlasted(exchange, deadlineMs)
  );
}

/**
 * Whether a request may have found no agent: it met its deadline, since a router may wait for an agent or a silent address
 * until then, or is an empty stream, since a router may begin a stream before it looks for an agent.
 */
export function mayAwaitAgent({ limits }: Pick<RouterContext, 'limits'>, exchange: Exchange) {
  return isEmptyStream(exchange) || metDeadline(exchange, limits.requestTimeoutMs);
}

/**
 * Whether a request for a model that cannot serve ended with an acceptable code, or one of `others`. Not observed where it
 * may wait for an agent, and for an agent that no longer registers the model.
 */
export function endedOf(
  t: Pick<RouterContext, 'limits'>,
  provocation: 'agent-gone' | 'backend-down' | 'no-eligible-agent',
  exchange: Exchange,
  others: readonly RouterCode[] = [],
): Judgement {
  const isUnregistered =
    provocation !== 'no-eligible-agent' && codeOf(exchange) === 'model_not_found';
  if (isUnregistered || mayAwaitAgent(t, exchange)) return notObserved;
  return endedWith(exchange, [...acceptableFinalCodes(provocation), ...others]);
}
