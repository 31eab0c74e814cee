/** What a model takes at once: that it serves again, goes on serving, and takes no more than it may. */

import type { Behaviour } from '../../backend/behaviour.ts';
import { complete, events, stall } from '../../backend/behaviours.ts';
import { mostAtOnce } from '../../checks/router/at-once.ts';
import { withinPlaces } from '../../checks/router/crowding.ts';
import { chatEvents, messageEvents } from '../../generate/streams.ts';
import type { InferenceRoute } from './api.ts';
import { headsSeen } from './heads-seen.ts';
import { whileHeld } from './holding.ts';
import { pass, type Judgement, notObserved, violated } from '../../checks/judgement.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import { outcomeText } from '../../checks/router/final-codes.ts';
import { isSuccess } from '../../checks/router/success.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { provoke } from './provoke.ts';
import { mayBeRested } from './rested.ts';
import { Inconclusive } from '../../runner/signals.ts';
import type { RouterContext } from './session.ts';
import { limitMs, retry, underWay, waits, within } from '../../runner/retry.ts';

export interface Crowd {
  readonly model: string;
  /** As many requests as the model takes at once. */
  readonly places: number;
  /** The code with which the model says that they are taken; nobody but the case takes any. */
  readonly full: 'no_capacity' | 'concurrency_limit_exceeded';
}

/** Asks until the model serves, which a leak prevents for ever. */
export async function servesAgain(t: RouterContext, { model, full }: Crowd): Promise<Judgement> {
  return cameBack(t, async () => (await provoke(t, complete(), { model })).exchange, full);
}

/** How the plain model ends where requests of every model keep what they take. */
const FULL_EVERYWHERE: ReadonlySet<string> = new Set([
  'no_capacity',
  'concurrency_limit_exceeded',
  'request_timeout',
]);

/**
 * Sends until it is served, which a leak prevents for ever. Throws `Inconclusive` when the plain chat model is not served
 * either: then it is not what somebody holds; unless what only the case could have filled says, with the code `full`,
 * that it is, and the plain model seems to be full, too.
 */
export async function cameBack(
  t: RouterContext,
  send: () => Promise<Exchange>,
  full?: Crowd['full'],
): Promise<Judgement> {
  const soon = await retry(t, 'returns', send, isSuccess);
  // Agents that rest after a failure come back, later than what a request held; what leaks stays away.
  const late = mayBeRested(soon) ? await retry(t, 'agentsReturn', send, isSuccess) : soon;
  if (isSuccess(late)) return pass();
  const { chat } = t.models;
  if (chat !== undefined) {
    const { exchange } = await provoke(t, complete(), { model: chat, inAnyCase: true });
    const isFull = codeOf(late) === full && FULL_EVERYWHERE.has(codeOf(exchange));
    if (!isSuccess(exchange) && !isFull) {
      throw new Inconclusive(`the plain chat model is not served either (${outcomeText(late)})`);
    }
  }
  // A target that had too much to do to be in time has that behind it now.
  const last = await send();
  if (isSuccess(last)) return pass();
  // For how long an agent is left out after a failure is the fleet's own affair: only a full place is one that was kept.
  if (mayBeRested(last)) {
    throw new Inconclusive(`its agents are still left out after a failure (${outcomeText(last)})`);
  }
  return violated(
    'What requests held did not come back.',
    { expected: 'a success within seconds', actual: outcomeText(last) },
    last,
  );
}

export interface Recovery {
  /** Whether the model serves again. */
  readonly back: Judgement;
  /** Whether it goes on serving after it has served as often as it has places; not observed when it did not serve at all. */
  readonly onwards: Judgement;
}

/** Asks a model until it serves, and then as often as it has places: what each success keeps is missed in the end. */
export async function recovery(t: RouterContext, crowd: Crowd): Promise<Recovery> {
  const back = await servesAgain(t, crowd);
  if (back.violations.length > 0) return { back, onwards: notObserved };
  for (let left = crowd.places; left > 0; left -= 1) {
    const onwards = await servesAgain(t, crowd);
    if (onwards.violations.length > 0) return { back, onwards };
  }
  return { back, onwards: pass(crowd.places) };
}

interface Overfilled {
  /** Most requests that the engine saw at once. */
  readonly peak: number;
  /** The end of the one beyond the places: refused, or served once others were let go. */
  readonly beyond: Exchange;
}

/** With what places are filled. */
export interface Filling {
  readonly route: InferenceRoute;
  readonly stream: boolean;
  readonly behaviour: Behaviour;
}

const completions: Filling = { route: 'chat', stream: false, behaviour: stall() };

/** Streams that their engine holds after the first event. */
function heldStreams(route: InferenceRoute, of: readonly { readonly data: string }[]): Filling {
  return { route, stream: true, behaviour: events([...of], { hold: { afterEvents: 1 } }) };
}

/** Streams that have begun, and go on. */
export const begunStreams: readonly Filling[] = [
  heldStreams('chat', chatEvents(['one', ' two'])),
  heldStreams('messages', messageEvents(['one', ' two'])),
];

/**
 * Fills the places of a model and sends one request more, which is not waited for: it may park or queue. Undefined
 * when the places could not be filled, as where one comes back a moment after its answer.
 */
async function overfilled(
  t: RouterContext,
  { model, places }: Pick<Crowd, 'model' | 'places'>,
  { route, stream, behaviour }: Filling = completions,
): Promise<Overfilled | undefined> {
  const { onHead, begun } = headsSeen(places);
  const send = async (script: string) =>
    t.api.infer(route, model, { script, stream, onHead, unbounded: true });
  const fill = { count: places, send, behaviours: [behaviour] };
  return whileHeld(t, fill, async ({ early, script, release }) => {
    if (early.length > 0) return undefined;
    // What goes with the head of an answer is gone when the client has seen it.
    if (stream) await begun(t.signal);
    // The same script: should it be let in, the engine holds it beside the others.
    const request = underWay(send(script));
    await Promise.race([request, heldAtOnce(t, script, places + 1)]);
    const peak = mostAtOnce(await t.backend.hits(script));
    await release();
    return { peak, beyond: await request };
  });
}

/** Whether a model whose places are filled takes no more at once; not observed where they could not be filled. */
export async function takesNoMore(
  t: RouterContext,
  crowd: Crowd,
  filling?: Filling,
): Promise<Judgement> {
  const over = await overfilled(t, crowd, filling);
  return over === undefined ? notObserved : withinPlaces(over.peak, crowd, over.beyond);
}

/** Waits until the engine holds so many, as long as one that is let in may take to get there. */
async function heldAtOnce(t: RouterContext, script: string, count: number): Promise<void> {
  const options = { timeoutMs: limitMs('letIn'), signal: t.signal };
  await t.backend.waitFor(script, { held: count }, options).catch(() => undefined);
}

/** How often a model is asked again once everything has ended: a slot may be one of several. */
const ASKED = 3;
/** The longest deadline that is waited for. */
const LONGEST_DEADLINE_MS = 60_000;

/** The last answer of a model that is asked until it serves, and how much the engines are at then. */
export interface Idle {
  readonly last: Exchange;
  readonly inFlight: number;
}

/** Asks a model until it serves, while nobody else asks for anything. */
export async function askedWhenIdle(t: RouterContext, model: string): Promise<Idle> {
  const { requestTimeoutMs = 0 } = t.limits;
  const withinMs = waits.returns.withinMs + Math.min(requestTimeoutMs, LONGEST_DEADLINE_MS);
  const send = async () => (await provoke(t, complete(), { model, inAnyCase: true })).exchange;
  const last = await retry(t, within('returns', withinMs), send, isSuccess);
  const atEngines = await t.backend.totals();
  return { last, inFlight: atEngines.reduce((sum, engine) => sum + engine.inFlight, 0) };
}

/** Asks the first of these models a few times, and then each other, up to the first that is not served. */
export async function oftenAskedWhenIdle(
  t: RouterContext,
  [first = '', ...others]: readonly string[],
): Promise<readonly Idle[]> {
  const asked: Idle[] = [];
  for (const model of [...Array.from({ length: ASKED }, () => first), ...others]) {
    const idle = await askedWhenIdle(t, model);
    asked.push(idle);
    if (!isSuccess(idle.last)) break;
  }
  return asked;
}
