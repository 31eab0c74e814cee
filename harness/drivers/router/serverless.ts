/** Bringing a serverless key over its input rate or its output rate, and only over that one. */

import { complete } from '../../backend/behaviour.ts';
import { becameLimited, isRateLimited } from '../../checks/limits/bucket.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { pause } from '../../exchange/budget.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import type { InferenceOptions } from './api.ts';
import { provoke, type Provoked } from './provoke.ts';
import { replicasOf, untilRefused } from './buckets.ts';
import type { RouterContext } from './session.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { reachedNoEngine } from '../../checks/router/tries.ts';
import { isInternalFailure } from '../../checks/router/envelope.ts';
import { words } from './bodies.ts';
import { retry, rest, limitMs, waits, within } from '../../runner/retry.ts';

export interface ServerlessKey {
  readonly as: string;
  readonly model: string;
  readonly inputPerMinute: number | undefined;
  readonly outputPerMinute: number | undefined;
  readonly share: number | undefined;
}

/** The serverless key of the target file. Throws `NotExercised` without one. */
export function serverlessKey(t: Pick<RouterContext, 'target'>): ServerlessKey {
  const key = t.target.keys.serverless;
  if (key === undefined) throw new NotExercised('needs a key under a serverless policy');
  return {
    as: key.key,
    model: key.model,
    inputPerMinute: key.inputTokensPerMinute,
    outputPerMinute: key.outputTokensPerMinute,
    share: key.occupancyShare,
  };
}

/** The rate that a requirement needs. */
export function rateOf(rate: number | undefined): number {
  if (rate === undefined) throw new NotExercised('the serverless key does not say this rate');
  return rate;
}

/** Output that no share and no rate minds. */
const FEW_TOKENS = 4;

/** Sends a request of the key, small unless told. */
export async function ask(t: RouterContext, options: InferenceOptions = {}): Promise<Exchange> {
  const { as, model } = serverlessKey(t);
  return t.api.chat(model, { text: 'Hi.', maxTokens: FEW_TOKENS, ...options, as });
}

/** Milliseconds after which whoever is still refused is so for a debt, not for a small request's input. */
const DEBT_MS = 5_000;
/** More tokens than a router may take a small request for, by whatever it estimates: they fill in within `DEBT_MS` or sooner. */
const TAKEN_FOR = 500;
/** Small requests that must pass in a row before the output rate is looked at. */
const IN_A_ROW = 3;
/** So many more are sent then at most, so that there has to be room for them. */
const SENT_THEN = 8;

/** Waits until the key is served. Throws `Inconclusive` when it stays over its limits. */
export async function awake(t: RouterContext): Promise<void> {
  const send = async () => askSilent(t);
  const last = await retry(t, 'keyAwake', send, (exchange) => !isRateLimited(exchange));
  if (isRateLimited(last)) {
    throw new Inconclusive('the serverless key was over its limits before anything was sent');
  }
}

/**
 * Waits until small requests pass one after the other: one that is refused for what is left of the input rate must not be
 * taken for one that is refused for its output. An exhausted rate lets one through each time that enough has filled in,
 * so that two of them tell how long several take.
 */
export async function rested(t: RouterContext): Promise<void> {
  await awake(t);
  for (let sent = 0; sent < IN_A_ROW; sent += 1) {
    if (isRateLimited(await askSilent(t))) return refilled(t);
  }
}

/** Waits for as long as an exhausted input rate takes to let several small requests through. */
async function refilled(t: RouterContext): Promise<void> {
  const passes = (exchange: Exchange): boolean => !isRateLimited(exchange);
  const pass = async () => retry(t, 'keyAwake', async () => askSilent(t), passes);
  await pass();
  const from = performance.now();
  await pass();
  await pause(Math.min(limitMs('keyAwake'), SENT_THEN * (performance.now() - from)), t.signal);
}

/** Output that costs none: a key that has only just got over a debt is not in debt again after it. */
export const NOTHING = { text: '', usage: { inputTokens: 1, outputTokens: 0 } };
export const SILENT = complete(NOTHING);

/** A small request whose engine writes nothing. */
async function askSilent(t: RouterContext): Promise<Exchange> {
  return ask(t, { script: await t.backend.script([SILENT]) });
}

/**
 * Whether a key that was just refused is short of input and not of output. A debt of output lasts; where it does not,
 * requests that cause no output pass again one after the other, which those that are short of input do not.
 */
async function shortOfInput(t: RouterContext, sentBefore: number): Promise<boolean> {
  const { inputPerMinute = 0 } = serverlessKey(t);
  const first = await retry(
    t,
    within('keyAwake', Math.min(DEBT_MS, (60_000 * TAKEN_FOR) / inputPerMinute)),
    async () => askSilent(t),
    (exchange) => !isRateLimited(exchange),
  );
  if (isRateLimited(first)) return false;
  for (let sent = 0; sent <= sentBefore; sent += 1) {
    if (isRateLimited(await askSilent(t))) return true;
  }
  return false;
}

export interface OutputSpent {
  /** The answers with far more output than the rate allows that an engine gave, at least one. */
  readonly delivered: readonly Exchange[];
  /** A small request after them: refused, unless the rate does not hold. */
  readonly later: Exchange;
  /** Hits of that small request. */
  readonly hits: number;
  /** Small requests of other kinds, sent between that one and another that was refused as well. */
  readonly beside: readonly Provoked[];
}

/** The output of such an answer, by a text that nothing else has. */
export const OUTPUT_TEXT = 'serverlessoutput';
const MAX_WORDS = 5_000;
/**
 * Parts of a minute's output that are written in one piece and as a stream. The stream comes first: a small debt is paid
 * back soon, whether or not a router bounds it.
 */
const FAR_OVER = 1.5;
const JUST_OVER = 1.05;
const ROUNDS = 3;
/** Output is charged after a response has ended, so that the next request may be too early. */
const LOOKS = 6;
/** Milliseconds after the answer in which all looks must have been, since how long a rate stays exhausted is not said. */
const IN_TIME_MS = 1_000;

/**
 * Has the engine write more than the output rate of a minute allows, in one piece or as a stream, until a small request is
 * refused: for its output, as far as can be told, or for `anyRate`, which takes no time and leaves the key refused.
 */
export async function spendOutput(
  t: RouterContext,
  {
    anyRate = false,
    stream = false,
  }: { readonly anyRate?: boolean; readonly stream?: boolean } = {},
): Promise<OutputSpent> {
  const outputTokens = Math.ceil(
    (stream ? JUST_OVER : FAR_OVER) * rateOf(serverlessKey(t).outputPerMinute),
  );
  const written = [
    OUTPUT_TEXT,
    ...Array.from({ length: Math.min(outputTokens, MAX_WORDS) }, () => ' word'),
  ];
  // A stream has a word in each event, for a router that takes an event for a token.
  const text = stream ? written : written.join('');
  const big = complete({ text, usage: { inputTokens: 10, outputTokens } });
  const delivered: Exchange[] = [];
  let later: Exchange | undefined;
  let hits = 0;
  let lookedInTime = false;
  await rested(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const script = await t.backend.script([big]);
    const answer = await ask(t, { script, stream });
    // One that no engine saw was refused for something else, or for the output of an earlier round.
    if ((await t.backend.counts(script)).hits > 0) delivered.push(answer);
    else if (delivered.length === 0) {
      await refilled(t);
      continue;
    }
    const answeredAt = performance.now();
    for (let look = 0; look < LOOKS; look += 1) {
      const small = await t.backend.script([complete()]);
      later = await ask(t, { script: small });
      hits = (await t.backend.counts(small)).hits;
      if (isRateLimited(later)) {
        const sent = round * (LOOKS + 1) + look + 1;
        if (anyRate) return { delivered, later, hits, beside: [] };
        const beside = await betweenRefusals(t);
        if (!(await shortOfInput(t, sent + BETWEEN))) return { delivered, later, hits, beside };
        await refilled(t);
        later = undefined;
        break;
      }
      await rest(t, 'chargedSoon');
    }
    lookedInTime ||= performance.now() - answeredAt < IN_TIME_MS;
  }
  if (later !== undefined && !lookedInTime) {
    throw new Inconclusive(
      'the target is too slow: an exhausted output rate may have filled again',
    );
  }
  if (later !== undefined) {
    const late = await chargedLate(t);
    if (late !== undefined) return { delivered, ...late, beside: [] };
  }
  if (later === undefined) {
    throw new Inconclusive(
      'the serverless key was refused, and then served again too soon to be over its output rate: for its input, or by one of several replicas',
    );
  }
  return { delivered, later, hits, beside: [] };
}

/** Tokens of input that all looks for a late charge take at most: a rate that is as large refuses none of them. */
const INPUT_OF_LOOKS = 2_000;

/**
 * A small request that is refused for output at last; undefined where none is. Throws `Inconclusive` where it could be
 * refused for its input.
 */
async function chargedLate(
  t: RouterContext,
): Promise<Pick<OutputSpent, 'later' | 'hits'> | undefined> {
  const { inputPerMinute = Infinity } = serverlessKey(t);
  if (inputPerMinute < INPUT_OF_LOOKS) {
    throw new Inconclusive(
      `output may be charged some seconds after a response, and with ${inputPerMinute} tokens of input a minute the key could be refused for its input before`,
    );
  }
  let hits = 0;
  const send = async () => {
    const script = await t.backend.script([complete()]);
    const exchange = await ask(t, { script });
    hits = (await t.backend.counts(script)).hits;
    return exchange;
  };
  const wait = t.thorough ? 'chargedThoroughly' : 'charged';
  const later = await retry(t, wait, send, isRateLimited);
  if (isRateLimited(later)) return { later, hits };
  if (t.thorough) return undefined;
  throw new Inconclusive(
    `output was not charged within ${waits[wait].withinMs / 1_000} s, and how soon it must be is not said: a thorough run waits a minute`,
  );
}

/** Requests that may pass in {@link betweenRefusals}. */
const BETWEEN = 4;

/** Refusals after which none of several replicas with rates of their own has room, as far as can be told. */
export function everywhere(t: Pick<RouterContext, 'limits'>): number {
  return 2 * replicasOf(t);
}

/** Whether so many requests at once, of which one would do, are all refused: whoever of several replicas works on them. */
export async function refusedEverywhere(
  t: Pick<RouterContext, 'limits'>,
  send: () => Promise<Exchange>,
): Promise<boolean> {
  const answers = await Promise.all(Array.from({ length: everywhere(t) }, async () => send()));
  return answers.every(isRateLimited);
}

/** A stream and a request of the messages route, if the key is refused before and after them, whoever works on it. */
async function betweenRefusals(t: RouterContext): Promise<readonly Provoked[]> {
  const { as, model } = serverlessKey(t);
  const small = async () => askSilent(t);
  if (!(await refusedEverywhere(t, small))) return [];
  const call = { as, model, text: 'Hi.', maxTokens: FEW_TOKENS };
  const stream = await provoke(t, complete(), { ...call, stream: true });
  const proxied = await provoke(t, complete(), { ...call, route: 'messages' });
  return (await refusedEverywhere(t, small)) ? [stream, proxied] : [];
}

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
