/** Brings a serverless key over its input rate or its output rate, and only over that one. */

import { type Behaviour, complete } from '../../backend/behaviour.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { becameLimited, isRateLimited } from '../../checks/limits/bucket.ts';
import { reachedNoEngine } from '../../checks/router/tries.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { words } from './bodies.ts';
import { type OverLimit, untilRefused } from './provoke.ts';
import type { RoutedOptions } from './api.ts';
import type { RouterContext } from './session.ts';
import {
  askEngine,
  askOther,
  askSilent,
  awake,
  besideRefusals,
  everywhere,
  overspends,
  NOTHING_BESIDE,
  rateOf,
  refilled,
  recovered,
  serverlessKey,
  untilPassing,
  Watch,
} from './serverless.ts';
import { byOutput } from './serverless-share.ts';
import { cameBack } from './capacity.ts';
import { retry, within } from '../../runner/retry.ts';
import type { WaitName } from '../../runner/waits.ts';
import { isInternalFailure } from '../../checks/router/envelope.ts';
import { endedWith, isSuccess } from '../../checks/router/outcome.ts';
import { Experiment, Inconclusive, isUnseen, NotExercised } from '../../runner/case.ts';
import { replicasOf } from './fixtures.ts';
import { FILLED_MS, inputTextSize, TEXTS_OVER, WORDS_PER_TOKEN } from './pace.ts';

/** Milliseconds, and input tokens, that refill enough for a small request: a key still refused then owes output. */
const DEBT_MS = 5_000;
const TAKEN_FOR = 500;
/**
 * Whether a key that was just refused is short of input and not of output. A debt of output lasts. If it has passed,
 * several requests without output pass in a row, unless the key is short of input.
 */
async function isShortOfInput(t: RouterContext, sentBefore: number): Promise<boolean> {
  const { inputTokensPerMinute = 0 } = serverlessKey(t);
  const filledMs = Math.min(DEBT_MS, (60_000 * TAKEN_FOR) / inputTokensPerMinute);
  if (isRateLimited(await untilPassing(t, within('keyAwake', filledMs)))) return false;
  for (let sent = 0; sent <= sentBefore; sent += 1) {
    if (isRateLimited(await askSilent(t))) return true;
  }
  return false;
}

/** A word in the output that occurs nowhere else. */
export const OUTPUT_TEXT = 'serverlessoutput';
const MAX_WORDS = 5_000;
/** Output as a multiple of a minute's rate. The stream comes first, since its small debt is soon paid back. */
const OVER = { completion: 1.5, stream: 1.05 } as const;
const ROUNDS = 3;
const MAY_PASS_BETWEEN = 4;

type Later = Awaited<ReturnType<Watch['observe']>>;

/** An engine that writes more than the output rate of a minute allows. */
function writingTooMuch(t: RouterContext, stream: boolean): Behaviour {
  const rate = rateOf(serverlessKey(t).outputTokensPerMinute);
  const outputTokens = Math.ceil(OVER[stream ? 'stream' : 'completion'] * rate);
  const count = Math.min(outputTokens, MAX_WORDS);
  const text = [OUTPUT_TEXT, ...Array.from({ length: count }, () => ' word')];
  // A stream has one word in each event, for a router that counts an event as a token.
  return complete({
    text: stream ? text : text.join(''),
    usage: { inputTokens: 10, outputTokens },
  });
}

/**
 * Lets the engine write more than a minute's output rate, in one piece or as a stream, until a small request is refused:
 * for its output, as far as can be told, or after a stream for any rate, which is faster. Returns the `delivered`
 * responses, the small request after them with its hits, and small ones of other kinds (`beside`) and of another key
 * (`others`) that were sent between two refusals.
 */
export async function spendOutput(
  t: RouterContext,
  { stream = false }: { readonly stream?: boolean } = {},
) {
  const big = writingTooMuch(t, stream);
  overspends(t);
  const delivered: Exchange[] = [];
  let last: Later | undefined;
  let watch = new Watch(t);
  let wasShortOfInput = false;
  let sent = 0;
  await recovered(t);
  const wasFree = stream || !(await askOther(t)).some(isRateLimited);
  for (let round = 0; round < ROUNDS; round += 1) {
    const answer = await askEngine(t, { stream }, big);
    // A request that no engine saw was refused for something else, or for the output of an earlier round.
    if (answer.hits > 0) delivered.push(answer.exchange);
    else if (delivered.length === 0) {
      await refilled(t);
      continue;
    }
    watch = new Watch(t);
    last = await untilCharged(t, watch, 'chargedSoon');
    sent += watch.sent;
    if (!isRateLimited(last.later)) continue;
    if (stream) return { delivered, ...last, ...NOTHING_BESIDE };
    // However little they ask for, there is nothing left.
    const seen = await besideRefusals(t, async () => askSilent(t), { text: 'Hi.', maxTokens: 1 });
    const others = wasFree ? seen.others : [];
    if (!(await isShortOfInput(t, sent + MAY_PASS_BETWEEN)))
      return { delivered, ...last, ...seen, others };
    wasShortOfInput = true;
    await refilled(t);
  }
  if (last === undefined || wasShortOfInput) {
    throw new Inconclusive(
      'the serverless key was refused, and then served again too soon to be over its output rate: for its input, or by one of several replicas',
    );
  }
  watch.requireClose();
  return { delivered, ...(await chargedLate(t, watch)), ...NOTHING_BESIDE };
}

/** The first look that finds the key limited, or the last one of the wait. */
async function untilCharged(t: RouterContext, watch: Watch, wait: WaitName): Promise<Later> {
  return retry(
    t,
    wait,
    async () => watch.observe(),
    ({ later }) => isRateLimited(later),
  );
}

/** The key over its output rate after a completion, with what was delivered; once for all cases. */
export const outputExceeded = new Experiment(async (t: RouterContext) => {
  const { delivered, later, hits, beside, others } = await spendOutput(t);
  const over: OverLimit = {
    limited: endedWith(later, ['rate_limit_exceeded']),
    refused: [later].filter(isRateLimited),
    beyond: [{ exchange: later, hits }, ...beside],
    others: t.target.keys.second === undefined ? undefined : others,
  };
  return { ...over, delivered };
});

/** Most input tokens that all looks of a replica for a late charge take: a rate at least as large refuses none of them. */
const INPUT_OF_LOOKS = 2_000;

/** A small request, refused at last or served after a minute. Throws `Inconclusive` if input may be the reason. */
async function chargedLate(t: RouterContext, watch: Watch): Promise<Later> {
  const { inputTokensPerMinute: perMinute = Infinity } = serverlessKey(t);
  if (perMinute < INPUT_OF_LOOKS * replicasOf(t)) {
    throw new Inconclusive(
      `output may be charged some seconds after a response, and with ${perMinute} tokens of input a minute the key could be refused for its input before`,
    );
  }
  const last = await untilCharged(t, watch, 'charged');
  if (!isRateLimited(last.later)) watch.requireClose();
  return last;
}

/** Milliseconds in which an answered request has given back its occupancy share. */
const GIVEN_BACK_MS = 200;
/** The part of a text that may refill meanwhile. */
const REFILL_PART = 0.1;
/** The same for a share that comes back late, and how often it is waited for: a text may also pass for what refilled. */
const LATE = { ms: 1_000, part: 0.6, looks: 2 } as const;
/** Most texts that may refill while a text over the rate is tried. */
const REFILL_SHARE = 1.8;
/** The same for a laden request, whose text leaves room under the share for what else it carries. */
const LADEN = { texts: 2, refill: 0.2 } as const;
/** Most requests for spending an input rate. */
const MAX_REQUESTS = 600;
/** How often an input rate is exceeded again: another replica may have had room, or the rate refilled. */
const OVER_AGAIN = 2;

/** The key over its input rate, which is spent one request at a time and then exceeded at once; once for all cases. */
export const inputExceeded = new Experiment(async (t: RouterContext): Promise<OverLimit> => {
  const { inputTokensPerMinute, occupancyShare: share = Infinity } = serverlessKey(t);
  const rate = rateOf(inputTokensPerMinute);
  const size = inputTextSize(rate, share);
  if ((4 * rate) / size > MAX_REQUESTS) {
    throw new NotExercised(
      `an input rate of ${rate} takes more than ${MAX_REQUESTS} requests with a share of ${share}`,
      'keys: { serverless: { inputTokensPerMinute: 2000, occupancyShare: 300 } }',
    );
  }
  // Unless it takes much of a minute's rate, the text that exceeds the rate is sent with another key before and after.
  const long = TEXTS_OVER * size;
  const askLong = async () =>
    2 * WORDS_PER_TOKEN * long < rate ? askOther(t, { text: words(t, long) }) : [];
  const wasFree = !(await askLong()).some(isRateLimited);
  // What all replicas give at once, if each has its own rate.
  const most = Math.ceil((WORDS_PER_TOKEN * replicasOf(t) * rate) / size);
  const from = performance.now();
  const { last, sent } = await spendInput(t, size, most);
  if (isSuccess(last) && performance.now() - from > FILLED_MS) {
    throw new Inconclusive('the target is too slow: the input rate may have refilled');
  }
  let over = await overInput(t, size);
  for (let left = OVER_AGAIN; left > 0 && (over.hasFilled || !over.isRefused); left -= 1) {
    await spendInput(t, size, most);
    over = await overInput(t, size);
  }
  if (over.hasFilled) {
    throw new Inconclusive('the input rate refilled before the requests could exceed it');
  }
  // A text that is over the occupancy share of its own key shows nothing.
  const others = wasFree ? await askLong() : [];
  return {
    limited: together(becameLimited(last, sent), ...over.unseen.map(limitedAtOnce)),
    refused: [last, ...over.beyond.map(({ exchange }) => exchange)].filter(isRateLimited),
    beyond: over.beyond,
    others: others.length === 0 ? undefined : others,
  };
});

/** Whether the share is free once the input rate has refused requests: a heavy one passes, as before, once a small one does. */
export async function shareAfterRefusals(t: RouterContext): Promise<Judgement> {
  await inputExceeded.of(t).catch((error: unknown) => {
    if (!isUnseen(error)) throw error;
  });
  if (isRateLimited(await untilPassing(t))) return notObserved;
  return cameBack(t, async () => (await askEngine(t, byOutput(t))).exchange);
}

/** Judges the first request of its kind. A failure inside the router may pass, and shows nothing. */
function limitedAtOnce(exchange: Exchange): Judgement {
  return isInternalFailure(exchange) ? notObserved : becameLimited(exchange, 1);
}

/** An engine that reads so much and writes nothing, so that no request is refused for its output. */
function reading(inputTokens: number): Behaviour {
  return complete({ text: '', usage: { inputTokens, outputTokens: 0 } });
}

/** Milliseconds in which so many tokens refill. */
function refillMs(t: RouterContext, tokens: number): number {
  return (60_000 * tokens) / rateOf(serverlessKey(t).inputTokensPerMinute);
}

/** Sends texts until they stay refused, or `most` were sent. One that passes may be for occupancy, or by one replica. */
async function spendInput(t: RouterContext, size: number, most: number) {
  await awake(t);
  const sender = (tokens: number) => async () =>
    (await askEngine(t, { text: words(t, tokens) }, reading(tokens))).exchange;
  const send = sender(size);
  // Long texts first, since fewer are needed; the others use up the rest.
  const long = { code: 'rate_limit_exceeded', most: Math.ceil(most / TEXTS_OVER) } as const;
  const first = await untilRefused(sender(TEXTS_OVER * size), long);
  if (!isRateLimited(first.last)) return first;
  // A router that lets one text overdraw the rate refuses all requests until that is paid back.
  await awake(t);
  let waited = 0;
  for (let { sent } = first; ;) {
    const spent = await untilRefused(send, { code: 'rate_limit_exceeded', most: most - sent });
    sent += spent.sent;
    if (!isRateLimited(spent.last) || sent >= most) return { last: spent.last, sent };
    await pause(Math.min(GIVEN_BACK_MS, refillMs(t, REFILL_PART * size)), t.signal);
    // One at a time: together they could be over the occupancy share.
    let left = everywhere(t);
    while (left > 0 && isRateLimited(await send())) left -= 1;
    if (left > 0) continue;
    // What was refused for the share passes once that is back.
    if (waited === LATE.looks) return { last: spent.last, sent };
    waited += 1;
    await pause(Math.min(LATE.ms, refillMs(t, LATE.part * size)), t.signal);
    if (isRateLimited(await send())) return { last: spent.last, sent };
  }
}

/** Sends a text of three times as many tokens in each form; `hasFilled` says that too much refilled meanwhile to tell. */
async function overInput(t: RouterContext, size: number) {
  const emptyAt = performance.now();
  // Less than one text of this size is left; even after a small one passes, three times as much exceeds the rate.
  await awake(t);
  const over = async (shape: RoutedOptions, long = TEXTS_OVER * size) =>
    askEngine(t, { text: words(t, long), ...shape }, reading(long));
  const hasFilledBy = (part: number) => performance.now() - emptyAt > refillMs(t, part * size);
  const laden = hasFilledBy(LADEN.refill) ? [] : [await over({ laden: true }, LADEN.texts * size)];
  const told = hasFilledBy(LADEN.refill) ? [] : laden;
  const native = [await over({}), await over({ stream: true })];
  const beyond = [...native, ...told, await over({ route: 'messages' })];
  const hasFilled = hasFilledBy(REFILL_SHARE);
  const asked = beyond.map((one) => reachedNoEngine(one.exchange, one.hits));
  // Only requests that no engine saw show by what code they were refused.
  const unseen = native.flatMap(({ exchange, hits }) => (hits === 0 ? [exchange] : []));
  const wrong = together(...unseen.map(limitedAtOnce), ...asked).violations;
  return { unseen, beyond, hasFilled, isRefused: wrong.length === 0 };
}
