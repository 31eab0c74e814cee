/** The occupancy share of a serverless key after requests that ended other than by an ordinary answer. */

import { complete, respond } from '../../backend/behaviours.ts';
import { held, type Judgement, vacuous, violated } from '../../checks/judgement.ts';
import { outcomeText } from '../../checks/router/final-codes.ts';
import { isRateLimited } from '../../checks/router/request-bucket.ts';
import { isSuccess } from '../../checks/router/success.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { InferenceOptions } from './api.ts';
import { hangUpWhileHeld } from './leaving.ts';
import { ask, awake, rateOf, serverlessKey } from './serverless.ts';
import type { RouterContext } from './session.ts';
import { until } from './until.ts';

/** The part of the share that each request takes, by the output alone that it asks for. */
const PART = 0.4;
/** Requests that leave in each way: one more than the share holds. */
const LEAVINGS = 3;
/** Milliseconds in which a share must be back, beyond the deadline up to which a router may keep what it holds. */
const BACK_WITHIN_MS = 5_000;

const invalid = respond(400, { error: { type: 'invalid_parameter', message: 'No such value.' } });

/**
 * Whether a share is free after requests that the engine called invalid, after streams, and after clients that hung up.
 * They weigh by the output that they ask for, and write hardly any: where one is refused while one that asks for next to
 * nothing passes, it is for no rate. Vacuous where such a request did not pass to begin with.
 */
export async function shareAfterLeaving(t: RouterContext): Promise<Judgement> {
  await awake(t);
  const { share, as, model } = serverlessKey(t);
  const heavy = { maxTokens: Math.ceil(PART * rateOf(share)) };
  const send = async (options: InferenceOptions) =>
    ask(t, { ...options, script: await t.backend.script([complete()]) });
  if (!isSuccess(await send(heavy))) return vacuous;
  for (let left = LEAVINGS; left > 0; left -= 1) {
    await ask(t, { ...heavy, script: await t.backend.script([invalid]) });
    await send({ ...heavy, stream: true });
    await hangUpWhileHeld(t, 1, async (script, signal) =>
      t.api.chat(model, { text: 'Hi.', ...heavy, as, script, signal }),
    );
  }
  return backAgain(t, send, heavy);
}

async function backAgain(
  t: RouterContext,
  send: (options: InferenceOptions) => Promise<Exchange>,
  heavy: InferenceOptions,
): Promise<Judgement> {
  const withinMs = BACK_WITHIN_MS + (t.limits.requestTimeoutMs ?? 0);
  const passes = (exchange: Exchange): boolean => !isRateLimited(exchange);
  const last = await until(async () => send(heavy), passes, { withinMs, signal: t.signal });
  if (isSuccess(last)) return held();
  if (!isRateLimited(last) || !isSuccess(await send({}))) return vacuous;
  return violated(
    'The share that requests took did not come back when they failed, streamed or were left.',
    { expected: 'a success, as before them', actual: outcomeText(last) },
    last,
  );
}
