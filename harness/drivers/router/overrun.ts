/** The daily budget of a key: small requests that leave it alone, and output that no longer fits it. */

import { complete } from '../../backend/behaviour.ts';
import { isSameBudgetDay } from '../../checks/router/server-clock.ts';
import { isSuccess } from '../../checks/router/outcome.ts';
import { isOverBudget } from '../../checks/limits/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Experiment, Inconclusive } from '../../runner/case.ts';
import { untilRefused } from './buckets.ts';
import { provoke, type Provoked, type ProvokeOptions } from './provoke.ts';
import type { RouterContext } from './session.ts';
import type { TokenKey } from './token-keys.ts';
import { retry, type Wait } from '../../runner/retry.ts';

/** The output, by a text that nothing else has. */
export const OVERRUN_TEXT = 'overrunoutput';
/** Words that are really written at most; beyond them the engine only claims them. */
const MAX_WORDS = 20_000;

/**
 * True where more than a budget is claimed by the engine and not written: a router that counts the text for itself, and
 * takes a word for a token, finds less in it.
 */
export function isClaimedAlone(limit: number): boolean {
  return limit >= MAX_WORDS;
}

/** Tokens of a prompt that is a few words. */
const SHORT_PROMPT = 10;

/** Output of so many budgets of `limit` tokens, in the text and in the claimed usage, beside the tokens of the prompt. */
function outputOf(budgets: number, limit: number, inputTokens: number = SHORT_PROMPT) {
  const outputTokens = Math.ceil(budgets * limit);
  const text = `${OVERRUN_TEXT} `.repeat(Math.min(outputTokens, MAX_WORDS));
  return { text, usage: { inputTokens, outputTokens } };
}

export interface Overrunning extends ProvokeOptions {
  /** Tokens of a prompt that is longer, so that the engine tells the truth to a router that charges what it has counted. */
  readonly promptTokens?: number;
  /** How many times the whole budget is written: enough that any count of the text finds more in it than the budget. */
  readonly budgets?: number;
}

/**
 * Sends a request that fits the budget of a key and is answered with more than the whole budget, three times as much unless
 * told. A request without a maximum comes first unless told, as a careless client would send it; where the router
 * assumes one that does not fit, or takes no two members that name one, a small maximum that the engine passes over.
 * Throws `Inconclusive` when no engine was asked.
 */
export async function overrun(
  t: RouterContext,
  key: TokenKey,
  { promptTokens, budgets = 3, ...asked }: Overrunning = {},
): Promise<Provoked> {
  const answer = complete(outputOf(budgets, key.limit, promptTokens));
  const options = { ...asked, as: key.name };
  const first = await provoke(t, answer, options);
  if (first.hits > 0) return first;
  const { maxCompletionTokens: _, ...others } = options;
  const bounded = await provoke(t, answer, { ...others, maxTokens: 8 });
  if (bounded.hits > 0) return bounded;
  throw new Inconclusive('a small request of a key with a daily budget did not reach an engine');
}

/** Part of a budget that one completion writes, and how many are sent at most: together far more than the budget. */
const PART = 0.45;
const MAX_PARTS = 8;

/** A request that is beyond what is left of a budget, though it was not before. */
export interface Beyond extends Provoked {
  /** The answer that took a part of the budget before. */
  readonly taken: Exchange;
}

export interface Taking {
  /** Whether the part is taken by a stream. */
  readonly stream: boolean;
  /** The part of the budget that is asked for afterwards: far more than is left, and less than there was. */
  readonly asked: number;
  /** How long that is asked for again while it passes: output may be accounted for later. */
  readonly wait: Wait;
}

/**
 * Takes a part of the budget of a key, and then asks for a maximum that would have fitted before. Undefined where what was to
 * be taken was not delivered, where it is claimed alone, or where a day ended meanwhile.
 */
export async function beyondWhatIsLeft(
  t: RouterContext,
  key: TokenKey,
  { stream, asked, wait }: Taking,
): Promise<Beyond | undefined> {
  if (isClaimedAlone(key.limit)) return undefined;
  const answer = complete(outputOf(PART, key.limit));
  const from = Date.now();
  const { exchange: taken } = await provoke(t, answer, {
    as: key.name,
    maxTokens: 8,
    stream,
    spends: true,
  });
  if (!isSuccess(taken) || taken.ending !== 'complete') return undefined;
  const silent = complete({ text: '', usage: { inputTokens: SHORT_PROMPT, outputTokens: 0 } });
  const maxTokens = Math.floor(asked * key.limit);
  const ask = async () => provoke(t, silent, { as: key.name, maxTokens });
  const beyond = await retry(t, wait, ask, ({ exchange }) => isOverBudget(exchange));
  return isSameBudgetDay(from, Date.now(), beyond.exchange) ? { ...beyond, taken } : undefined;
}

/**
 * Sends small requests, each of which is answered with a part of the budget of a key, until one is refused for it. Returns
 * the last answer, and whether what was delivered before it, and with it, takes more than the budget: an engine's answers
 * alone are charged for sure, not the failures of a router that rests its agents.
 */
export async function overrunByParts(
  t: RouterContext,
  key: TokenKey,
): Promise<{ readonly last: Exchange; readonly beyond: boolean }> {
  const answer = complete(outputOf(PART, key.limit));
  const from = Date.now();
  const { last, served } = await untilRefused(
    async () => (await provoke(t, answer, { as: key.name, maxTokens: 8 })).exchange,
    { code: 'token_limit_exceeded', most: MAX_PARTS },
  );
  return { last, beyond: served * PART > 1 && isSameBudgetDay(from, Date.now(), last) };
}

const seenFirst = new Experiment(async (t: RouterContext) => {
  const key = t.tokenKeys.last;
  return key === undefined ? undefined : { key, before: await roomyRequest(t, key) };
});

/** A key for good: whoever takes it spends it. Throws `NotExercised` when all are spent. */
export async function spendKey(t: RouterContext): Promise<TokenKey> {
  await seenFirst.of(t);
  return t.tokenKeys.spend();
}

/** A key for what hardly costs tokens; others have it afterwards. Throws `NotExercised` when all are spent. */
export async function borrowKey<T>(
  t: RouterContext,
  use: (key: TokenKey) => Promise<T>,
): Promise<T> {
  await seenFirst.of(t);
  return t.tokenKeys.borrow(use);
}

export interface Neighbour {
  readonly key: TokenKey;
  /** The answer to a request that leaves room for a small one, sent before any key was spent where that is possible. */
  readonly before: Exchange;
}

/** A key beside one that is spent; undefined when none is free. */
export async function besideKey<T>(
  t: RouterContext,
  use: (neighbour: Neighbour | undefined) => Promise<T>,
): Promise<T> {
  const first = await seenFirst.of(t);
  return t.tokenKeys.beside(async (key) => {
    if (key === undefined) return use(undefined);
    if (key.name === first?.key.name) return use(first);
    return use({ key, before: await roomyRequest(t, key) });
  }, first?.key);
}

/** Most output tokens that such a request asks for. */
export const FEW_TOKENS = 8;

/** A small request of a key, as the client sees it. */
export async function smallRequest(t: RouterContext, key: TokenKey): Promise<Exchange> {
  const { exchange } = await provoke(t, complete({ text: 'Hello.' }), {
    as: key.name,
    text: 'Hi.',
    maxTokens: FEW_TOKENS,
  });
  return exchange;
}

/** A request that leaves room for a small one afterwards, as most of what it asks for is not written. */
export async function roomyRequest(t: RouterContext, key: TokenKey): Promise<Exchange> {
  const { exchange } = await provoke(t, complete({ text: 'Hello.' }), {
    as: key.name,
    text: 'Hi.',
    maxTokens: Math.max(FEW_TOKENS, Math.floor(key.limit / 10)),
  });
  return exchange;
}
