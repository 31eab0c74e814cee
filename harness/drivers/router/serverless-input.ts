/** Bringing a serverless key over its input token rate, and over nothing else. */

import { complete } from '../../backend/behaviours.ts';
import { type Judgement, together, notObserved } from '../../checks/judgement.ts';
import { reachedNoEngine } from '../../checks/router/engine-hits.ts';
import { isInternalFailure } from '../../checks/router/passing.ts';
import { becameLimited, isRateLimited } from '../../checks/router/request-bucket.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/signals.ts';
import { untilRefused } from './exhausting.ts';
import { ask, awake, everywhere, rateOf, serverlessKey } from './serverless.ts';
import type { RouterContext } from './session.ts';
import { words } from './words.ts';

/** The share of an occupancy that an answered request gives back late is back by then, in milliseconds. */
const GIVEN_BACK_MS = 200;
/** The part of a text that may fill in meanwhile. */
const REFILL_PART = 0.1;
/** Texts that may fill in again at most, so that a text of three is over what is there. */
const REFILL_SHARE = 1.8;

/** Milliseconds in which so many tokens fill in. */
function refillMs(t: RouterContext, tokens: number): number {
  return (60_000 * tokens) / rateOf(serverlessKey(t).inputPerMinute);
}

/** A script of an engine that writes nothing, so that no request is refused for its output. */
async function silent(t: RouterContext, inputTokens: number): Promise<string> {
  return t.backend.script([complete({ text: '', usage: { inputTokens, outputTokens: 0 } })]);
}

/**
 * Sends texts of `size` tokens one after the other until they are refused and stay so, or `most` were sent: a refusal that
 * passes may be one for what an answered request still occupies, or that of one replica. Returns the last answer of the
 * first kind.
 */
export async function spendInput(
  t: RouterContext,
  size: number,
  most: number,
): Promise<{ readonly last: Exchange; readonly sent: number }> {
  await awake(t);
  const send = async () => ask(t, { text: words(size), script: await silent(t, size) });
  for (let sent = 0; ;) {
    const spent = await untilRefused(send, { code: 'rate_limit_exceeded', most: most - sent });
    sent += spent.sent;
    const isOver = !isRateLimited(spent.last) || sent >= most;
    if (isOver || (await staysRefused(t, send, size))) return { last: spent.last, sent };
  }
}

async function staysRefused(
  t: RouterContext,
  send: () => Promise<Exchange>,
  size: number,
): Promise<boolean> {
  await pause(Math.min(GIVEN_BACK_MS, refillMs(t, REFILL_PART * size)), t.signal);
  // One after the other: together they could be over the occupancy share.
  for (let left = everywhere(t); left > 0; left -= 1)
    if (!isRateLimited(await send())) return false;
  return true;
}

/** Whether a request over a rate was refused; a failure inside the router may pass, and shows nothing. */
function refusedNow(exchange: Exchange): Judgement {
  return isInternalFailure(exchange) ? notObserved : becameLimited(exchange, 1);
}

export interface OverInput {
  readonly judgement: Judgement;
  /** The same of the messages route. */
  readonly onMessages: Judgement;
  /** The answers to a stream and to a request of the messages route. */
  readonly others: readonly Exchange[];
}

/**
 * Whether a text of three times `size`, in each way in which it can be sent, is refused by itself once the rate refuses one
 * of `size`. Throws `Inconclusive` where too much filled in meanwhile.
 */
export async function overInput(t: RouterContext, size: number): Promise<OverInput> {
  const emptyAt = performance.now();
  // The level is below one such text now; where a small one passes, three at once are over it all the same.
  await awake(t);
  const script = await silent(t, 3 * size);
  const text = words(3 * size);
  const over = await ask(t, { text, script });
  const streamed = await ask(t, { text, script, stream: true });
  const { as, model } = serverlessKey(t);
  const { hits } = await t.backend.counts(script);
  const proxying = await silent(t, 3 * size);
  const proxied = await t.api.infer('messages', model, { as, text, script: proxying });
  const { hits: proxiedHits } = await t.backend.counts(proxying);
  if (performance.now() - emptyAt > refillMs(t, REFILL_SHARE * size)) {
    throw new Inconclusive('the input rate filled in again before it could be exceeded at once');
  }
  return {
    judgement: together(refusedNow(over), refusedNow(streamed), reachedNoEngine(over, hits)),
    onMessages: reachedNoEngine(proxied, proxiedHits),
    others: [streamed, proxied],
  };
}
