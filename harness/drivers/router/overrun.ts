/** The daily budget of a key: small requests that hardly use it, and output that exceeds it. */

import { complete, events, respond } from '../../backend/behaviour.ts';
import { isOverBudget } from '../../checks/limits/budget.ts';
import { isSameBudgetDay } from '../../checks/limits/quota.ts';
import { isSuccess } from '../../checks/router/outcome.ts';
import { endOf, type Exchange } from '../../exchange/exchange.ts';
import { completion } from '../../generate/answers.ts';
import { streamBeyond } from '../../generate/streams.ts';
import { Experiment, Inconclusive, NotExercised, orInconclusive } from '../../runner/case.ts';
import { retry, sendAtOnce } from '../../runner/retry.ts';
import { mostWords, words } from './bodies.ts';
import {
  provoke,
  type Provoked,
  type ProvokeOptions,
  scriptedModel,
  untilRefused,
} from './provoke.ts';
import { TOGETHER_MS } from './retries.ts';
import type { RouterContext } from './session.ts';
import type { TokenKey } from './token-keys.ts';

/** Output tokens that fit any budget with something left. */
export const SMALL_OUTPUT = 8;

/** A small request of a key; with `room` it asks for a tenth of the budget, most of which is not written. */
export async function smallRequest(
  t: RouterContext,
  { name, limit }: TokenKey,
  leaves: 'nothing' | 'room' = 'nothing',
  model = scriptedModel(t, 'chat'),
): Promise<Exchange> {
  const room = leaves === 'room' ? Math.floor(limit / 10) : 0;
  const maxTokens = Math.max(SMALL_OUTPUT, room);
  const options = { as: name, text: 'Hi.', maxTokens, model };
  return (await provoke(t, complete({ text: 'Hello.' }), options)).exchange;
}

/**
 * The response to a request of each key that leaves room for a small one, by the name of the key. It is sent before the
 * first key is handed out: a key that is refused then was spent by an earlier run, and with keys that share one budget by
 * mistake, those that are spent later take from it.
 */
const seenFirst = new Experiment(async (t: RouterContext) => {
  const answers = new Map<string, Exchange>();
  await t.tokenKeys.sortOut(async (key) => {
    const answer = await smallRequest(t, key, 'room');
    answers.set(key.name, answer);
    return isOverBudget(answer);
  });
  return answers;
});

/** A key to spend. Throws `NotExercised` when all are spent, `Inconclusive` when an earlier run spent some. */
export async function spendKey(t: RouterContext): Promise<TokenKey> {
  await seenFirst.of(t);
  return t.tokenKeys.spend();
}

/** A key to spend that no other case needs, perhaps spent before this run; undefined when there are not so many. */
export async function spareKey(t: RouterContext): Promise<TokenKey | undefined> {
  await seenFirst.of(t);
  return t.tokenKeys.spare();
}

/** Lends a key for requests that hardly cost tokens. Throws like `spendKey`. */
export async function borrowKey<T>(
  t: RouterContext,
  use: (key: TokenKey) => Promise<T>,
): Promise<T> {
  await seenFirst.of(t);
  return t.tokenKeys.borrow(use);
}

/** Lends a key to compare with one that is spent, with an early response if possible; undefined when none is free. */
export async function besideKey<T>(
  t: RouterContext,
  use: (neighbour: { readonly key: TokenKey; readonly before: Exchange } | undefined) => Promise<T>,
): Promise<T> {
  const answers = await seenFirst.of(t);
  return t.tokenKeys.beside(async (key) =>
    use(key && { key, before: answers.get(key.name) ?? (await smallRequest(t, key, 'room')) }),
  );
}

/** A word in the output that occurs nowhere else. */
export const OVERRUN_TEXT = 'overrunoutput';
/** Most words that are really written; beyond them the engine only claims tokens in its usage. */
const MAX_WORDS = 20_000;

/** True when an engine claims more than the budget without writing it: a router that counts the text finds less. */
export function isClaimedAlone(limit: number): boolean {
  return limit >= MAX_WORDS;
}

/** Tokens of a prompt that is a few words. */
const SHORT_PROMPT = 10;

/** Output of `budgets` times `limit` tokens, in its text and its claimed usage. */
function outputOf(budgets: number, limit: number, inputTokens: number = SHORT_PROMPT) {
  const outputTokens = Math.ceil(budgets * limit);
  const text = `${OVERRUN_TEXT} `.repeat(Math.min(outputTokens, MAX_WORDS));
  return { text, usage: { inputTokens, outputTokens } };
}

/** An engine that writes as much. */
function writing(...sizes: Parameters<typeof outputOf>) {
  return complete(outputOf(...sizes));
}

/** An engine that writes this output and calls a tool, too. */
function calling({ text, usage: { inputTokens, outputTokens } }: ReturnType<typeof outputOf>) {
  const call = { id: 'call-1', type: 'function', function: { name: 'look_up', arguments: '{}' } };
  const message = { role: 'assistant', content: text, tool_calls: [call] };
  const total = { total_tokens: inputTokens + outputTokens };
  return respond(200, {
    ...completion('scripted-chat'),
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens, ...total },
  });
}

interface Overrunning extends ProvokeOptions {
  /** Tokens of a longer prompt, so that the claimed usage is true for a router that charges what it has counted. */
  readonly promptTokens?: number;
  /** Output as a multiple of the budget (default 3), so that any count of the text exceeds the budget. */
  readonly budgets?: number;
  /** The engine calls a tool, too. */
  readonly callsTool?: boolean;
}

/**
 * Sends a request that fits the budget of a key and gets a response over the whole budget. The first request has no
 * maximum, as a careless client would send it. If the router assumes one that does not fit, or refuses two members that
 * name one, the next request has a small maximum, which the engine ignores. Throws `Inconclusive` when no engine was
 * asked.
 */
export async function overrun(
  t: RouterContext,
  key: TokenKey,
  { promptTokens, budgets = 3, callsTool = false, ...asked }: Overrunning = {},
): Promise<Provoked> {
  const output = outputOf(budgets, key.limit, promptTokens);
  const answer = callsTool ? calling(output) : complete(output);
  const first = await provoke(t, answer, { ...asked, as: key.name });
  if (first.hits > 0) return first;
  const { maxCompletionTokens: _, ...others } = { ...asked, as: key.name };
  const bounded = await provoke(t, answer, { ...others, maxTokens: SMALL_OUTPUT });
  if (bounded.hits > 0) return bounded;
  throw new Inconclusive('a small request of a key with a daily budget did not reach an engine');
}

/** More than the budget by any count of its words, and less than twice as much. */
const OVER_BY_HALF = 1.5;

/**
 * An overrun by half, without a stream, of the model with one slot if that serves the key: a slot that it keeps is missed
 * there. Throws `NotExercised` when it is delivered although it was partly only claimed.
 */
export async function overrunByHalf(t: RouterContext, key: TokenKey): Promise<Provoked> {
  const asked = { budgets: OVER_BY_HALF, stream: false };
  const { singleSlot } = t.models;
  const first =
    singleSlot === undefined
      ? undefined
      : await overrun(t, key, { ...asked, model: singleSlot.id }).catch(orInconclusive);
  const over = first ?? (await overrun(t, key, asked));
  if (!isSuccess(over.exchange) || !isClaimedAlone(key.limit)) return over;
  throw new NotExercised(
    `the suite writes no output beyond a budget of ${key.limit} tokens, and a router may count tokens itself`,
    'keys: { tokensPerDay: [ { key: ${ROUTER_KEY_TPD_1}, limit: 2000 } ] }',
  );
}

/** Shares of a budget for a long prompt, in words; a router that counts characters refuses the larger one. */
const PROMPT_SHARES = [1 / 3, 1 / 24];

/** Overruns a budget with a tool call in response to the longest prompt that the router accepts, with both names of the maximum. */
export async function overrunByLongPrompt(t: RouterContext, key: TokenKey, model: string) {
  let why: unknown;
  for (const share of PROMPT_SHARES) {
    const promptTokens = Math.floor(Math.min(key.limit * share, mostWords(t)));
    const small = { maxTokens: SMALL_OUTPUT, maxCompletionTokens: SMALL_OUTPUT };
    const asked = { model, text: words(t, promptTokens), promptTokens, ...small };
    try {
      const over = await overrun(t, key, { ...asked, callsTool: true });
      return { promptTokens, over };
    } catch (error) {
      if (!(error instanceof Inconclusive)) throw error;
      why = error;
    }
  }
  throw why;
}

/** Spends a key with a stream that writes three times its budget. */
export async function writeStreamBeyond(t: RouterContext, key: TokenKey) {
  const stream = streamBeyond(key.limit);
  const answer = events([...stream.events], { done: true });
  const options = { as: key.name, stream: true, spends: true };
  const open = await provoke(t, answer, options);
  // A router that assumes a maximum when none is named may refuse the first request.
  const { exchange, hits } =
    open.hits > 0 ? open : await provoke(t, answer, { ...options, maxTokens: SMALL_OUTPUT });
  if (hits === 0) throw new Inconclusive('a small stream of a key with a budget reached no engine');
  return { exchange, bytes: stream.bytes };
}

/** A small request after the preceding stream was accounted for, which may take a moment. */
export async function afterAccounting(t: RouterContext, key: TokenKey): Promise<Exchange> {
  return retry(t, 'accounted', async () => smallRequest(t, key), isOverBudget);
}

/** Part of a budget that one completion writes, and the most completions: together far more than the budget. */
const PART = 0.45;
const MAX_PARTS = 8;
/** Part of a budget that fits the whole of it, and by no count of the words what two parts have left. */
const NEARLY_ALL = 0.95;

/** A request that exceeds what is left of a budget, and would have fitted before. */
export interface Beyond extends Provoked {
  /** The response that used a part of the budget before, the last one of several. */
  readonly taken: Exchange;
}

/** Tokens that any estimate counts for a word, at least. */
export const LEAST_TOKENS = 0.16;
/** The part of a budget that a prompt takes in words: less than the budget has, even at two tokens for a word. */
const PROMPT_PART = 0.3;

/** The part of the budget that is requested after another was used: more than is left, less than there was. */
const ASKED = { prompt: 1 - PROMPT_PART * LEAST_TOKENS, completion: 0.8, stream: 0.45 } as const;

/** Completions that use a part of the budget together: if one of them alone counts, what is asked for then still fits. */
const AT_ONCE = { prompt: 1, completion: 3, stream: 1 } as const;

/** Uses a part of a key's budget, then asks for what fitted before; undefined when that part may be unused. */
export async function beyondWhatIsLeft(
  t: RouterContext,
  key: TokenKey,
  by: keyof typeof ASKED,
): Promise<Beyond | undefined> {
  if (isClaimedAlone(key.limit)) return undefined;
  const from = Date.now();
  const stream = by === 'stream';
  const promptTokens = Math.ceil(PROMPT_PART * key.limit);
  if (by === 'prompt' && promptTokens > mostWords(t)) return undefined;
  const options = { as: key.name, maxTokens: SMALL_OUTPUT, stream, spends: true };
  const silent = complete({ text: '', usage: { inputTokens: SHORT_PROMPT, outputTokens: 0 } });
  const maxTokens = Math.floor(ASKED[by] * key.limit);
  const ask = async () => provoke(t, silent, { as: key.name, maxTokens });
  // The maximum leaves so little that an estimate which counts some tokens more refuses it from the start.
  if (by === 'prompt' && !isSuccess((await ask()).exchange)) return undefined;
  const part = PART / AT_ONCE[by];
  const output = by === 'prompt' ? outputOf(0, key.limit, promptTokens) : outputOf(part, key.limit);
  const answer = complete({ ...output, delayHeadMs: AT_ONCE[by] > 1 ? TOGETHER_MS : 0 });
  const text = by === 'prompt' ? { text: words(t, promptTokens) } : {};
  const sent = await sendAtOnce(AT_ONCE[by], async () =>
    provoke(t, answer, { ...options, ...text }),
  );
  const used = sent.map(({ exchange }) => exchange);
  if (!used.every((one) => isSuccess(one) && one.ending === 'complete')) return undefined;
  const taken = used.reduce((one, other) => (endOf(other) > endOf(one) ? other : one));
  const beyond = await retry(
    t,
    stream ? 'accountedByFew' : 'accountedInAnswer',
    ask,
    ({ exchange }) => isOverBudget(exchange),
  );
  return isSameBudgetDay(from, Date.now(), beyond.exchange) ? { ...beyond, taken } : undefined;
}

/**
 * Sends small requests, each answered with a part of the budget of a key, until one is refused for it. Returns the last
 * response, and whether the output that was delivered up to it exceeds the budget. Only responses of an engine are
 * certainly charged, not the failures of a router that ejects its agents. Where half of the budget is known to be used, one
 * response with nearly all of it exceeds the rest.
 */
export async function overrunByParts(t: RouterContext, key: TokenKey, isHalfUsed: boolean) {
  const from = Date.now();
  const part = isHalfUsed ? NEARLY_ALL : PART;
  const options = { as: key.name, maxTokens: SMALL_OUTPUT };
  const { last, served } = await untilRefused(
    async () => (await provoke(t, writing(part, key.limit), options)).exchange,
    { code: 'token_limit_exceeded', most: isHalfUsed ? 1 : MAX_PARTS },
  );
  const beyond = isHalfUsed || served * part > 1;
  return { last, beyond: beyond && isSameBudgetDay(from, Date.now(), last) };
}
