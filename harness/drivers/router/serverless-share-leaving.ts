/** The occupancy share of a serverless key while streams go on, and after requests that ended other than by an ordinary answer. */

import { complete, stall as heldAtEngine } from '../../backend/behaviours.ts';
import { pass, type Judgement, notObserved, together, violated } from '../../checks/judgement.ts';
import { outcomeText } from '../../checks/router/final-codes.ts';
import { isRateLimited } from '../../checks/router/request-bucket.ts';
import { isSuccess } from '../../checks/router/success.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/signals.ts';
import type { InferenceOptions } from './api.ts';
import { cameBack } from './capacity.ts';
import { headsSeen } from './heads-seen.ts';
import { whileHeld } from './holding.ts';
import { leaveInEachWay } from './leaving.ts';
import { ask, awake, NOTHING, rateOf, serverlessKey, SILENT } from './serverless.ts';
import { fillShare } from './serverless-share.ts';
import type { RouterContext } from './session.ts';
import { eventually, rest, retry, waits, within } from '../../runner/retry.ts';

/** The part of the share that each request takes, by the output alone that it asks for. */
const PART = 0.4;
/** Requests that leave in each way: one more than the share holds. */
const LEAVINGS = 3;

/**
 * Whether a share is free after requests that the engine called invalid, after streams, and after clients that hung up.
 * They weigh by the output that they ask for, and write hardly any: where one is refused while one that asks for next to
 * nothing passes, it is for no rate. Vacuous where such a request did not pass to begin with.
 */
async function shareAfterLeaving(t: RouterContext): Promise<Judgement> {
  await awake(t);
  const heavy = { maxTokens: Math.ceil(PART * rateOf(serverlessKey(t).share)) };
  const send = async (options: InferenceOptions) =>
    ask(t, { ...options, script: await t.backend.script([complete()]) });
  const first = await retry(t, 'returns', async () => send(heavy), isSuccess);
  if (!isSuccess(first)) return notObserved;
  for (let left = LEAVINGS; left > 0; left -= 1) {
    await leaveInEachWay(t, async (call) => ask(t, { ...heavy, ...call }));
  }
  return backAgain(t, send, heavy);
}

/** Requests that are held at once: a further one is over the share. */
const HELD = 2;

/**
 * Whether streams that have begun keep their part of the share, as a request that is refused beside them shows. Vacuous
 * where requests in one piece, held as long, do not refuse it either.
 */
export async function shareOfStreams(t: RouterContext): Promise<Judgement> {
  // Another replica with a share of its own may have had room.
  return eventually(t, 'twiceMore', async () => shareOfStreamsOnce(t));
}

async function shareOfStreamsOnce(t: RouterContext): Promise<Judgement> {
  const heavy = { maxTokens: Math.ceil(PART * rateOf(serverlessKey(t).share)) };
  const control = await besideHeld(t, heavy, false);
  if (control === undefined || !isRateLimited(control)) return notObserved;
  const beside = await besideHeld(t, heavy, true);
  if (beside === undefined) return notObserved;
  if (isRateLimited(beside)) return pass();
  if (!isSuccess(beside)) return notObserved;
  return violated(
    'Streams that have begun do not count for the share.',
    {
      expected: 'rate_limit_exceeded, as beside requests in one piece',
      actual: outcomeText(beside),
    },
    beside,
  );
}

/** The answer to a request that is sent while others are held, once streams have begun; undefined where they were never held. */
async function besideHeld(
  t: RouterContext,
  heavy: InferenceOptions,
  stream: boolean,
): Promise<Exchange | undefined> {
  const hold = async () => {
    await awake(t);
    return besideHeldOnce(t, heavy, stream);
  };
  return retry(t, 'heldAgain', hold, (answer) => answer !== undefined);
}

async function besideHeldOnce(
  t: RouterContext,
  heavy: InferenceOptions,
  stream: boolean,
): Promise<Exchange | undefined> {
  const { onHead, begun } = headsSeen(HELD);
  const fill = {
    count: HELD,
    behaviours: [heldAtEngine(stream ? { afterEvents: 1 } : 'before-head', NOTHING)],
    send: async (script: string) => ask(t, { ...heavy, script, stream, unbounded: true, onHead }),
  };
  return whileHeld(t, fill, async ({ early }) => {
    if (early.length > 0) return undefined;
    if (stream) await begun(t.signal);
    return ask(t, { ...heavy, unbounded: true, script: await t.backend.script([SILENT]) });
  });
}

async function backAgain(
  t: RouterContext,
  send: (options: InferenceOptions) => Promise<Exchange>,
  heavy: InferenceOptions,
): Promise<Judgement> {
  const withinMs = waits.returns.withinMs + (t.limits.requestTimeoutMs ?? 0);
  const last = await retry(t, within('returns', withinMs), async () => send(heavy), isSuccess);
  if (isSuccess(last)) return pass();
  if (!isRateLimited(last) || !isSuccess(await send({}))) return notObserved;
  return violated(
    'The share that requests took did not come back when they failed, streamed or were left.',
    { expected: 'a success, as before them', actual: outcomeText(last) },
    last,
  );
}

/** How often a share is filled: its rate may recover in between. */
const FILLINGS = 4;

/** Whether a share that was filled comes back, after answers and after other ends; and what filling it showed, where that is wrong. */
export async function filledShareComesBack(
  t: RouterContext,
): Promise<{ readonly judgement: Judgement; readonly back: Judgement }> {
  let filled = await fillShare(t);
  // What others asked for with this key may have used up its rate: it fills by and by.
  for (let tried = 1; tried < FILLINGS; tried += 1) {
    if (filled.refused !== undefined || filled.judgement.violations.length > 0) break;
    await rest(t, 'shareRefills');
    filled = await fillShare(t);
  }
  const { judgement, refused } = filled;
  if (judgement.violations.length > 0) return { judgement, back: notObserved };
  if (refused === undefined) throw new Inconclusive('the share could not be filled');
  const back = await cameBack(t, filled.again);
  return { judgement: notObserved, back: together(back, await shareAfterLeaving(t)) };
}
