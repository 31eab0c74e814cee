/** Whether a model serves again, and goes on serving: what a request keeps for itself is missed sooner or later. */

import { complete } from '../../backend/behaviours.ts';
import { pass, type Judgement, notObserved, violated } from '../../checks/judgement.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import { outcomeText } from '../../checks/router/final-codes.ts';
import { isSuccess } from '../../checks/router/success.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { provoke } from './provoke.ts';
import { mayBeRested } from './rested.ts';
import { Inconclusive } from '../../runner/signals.ts';
import type { RouterContext } from './session.ts';
import { until } from './until.ts';

/** Milliseconds after which agents that rest are back, too. */
const RESTED_MS = 40_000;

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
  const soon = await until(send, isSuccess, { signal: t.signal });
  // Agents that rest after a failure come back, later than what a request held; what leaks stays away.
  const late = mayBeRested(soon)
    ? await until(send, isSuccess, { withinMs: RESTED_MS, signal: t.signal })
    : soon;
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
