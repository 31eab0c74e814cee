/** A daily budget over time: requests beyond it, using it up in parts, and its reset at midnight. */

import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { isBeyondModel, isOverBudget, refusedForBudget } from '../../checks/limits/budget.ts';
import {
  clockAheadMs,
  isSameBudgetDay,
  remainingHeaders,
  remainingOf,
  remainingTokensFell,
  showsNothingOf,
  untilMidnightMs,
} from '../../checks/limits/quota.ts';
import { reachedNoEngine } from '../../checks/router/tries.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { eventually, retry } from '../../runner/retry.ts';
import type { InferenceOptions } from './api.ts';
import { conversation, mostWords, words } from './bodies.ts';
import { requireFixture } from './fixtures.ts';
import { hitsOfRefused } from './hold.ts';
import {
  afterAccounting,
  type Beyond,
  beyondWhatIsLeft,
  SMALL_OUTPUT,
  isClaimedAlone,
  overrun,
  overrunByLongPrompt,
  overrunByParts,
  smallRequest,
  spendKey,
  writeStreamBeyond,
} from './overrun.ts';
import { firstAnswer } from './provoke.ts';
import { onceServed } from './ejection.ts';
import { SILENT } from './serverless.ts';
import type { RouterContext } from './session.ts';
import type { TokenKey } from './token-keys.ts';
import { isSuccess, outcomeText } from '../../checks/router/outcome.ts';
import { foundNoRoom, isInternalFailure } from '../../checks/router/envelope.ts';
import { Inconclusive, NotExercised, orInconclusive } from '../../runner/case.ts';

const ID = 'router.token-limit-rules';

/** A maximum over a budget, and no larger than what models of today write. */
export function farOver({ limit }: TokenKey): number {
  return 3 * limit;
}

/** Asks for far more than the budget of a key. If the model refuses that, also asks without a budget. */
export async function beyondBudget(t: RouterContext, key: TokenKey, options: InferenceOptions) {
  const model = requireFixture(t, 'chat');
  const asked = { ...options, as: key.name };
  const exchange = await firstAnswer(async (call) => t.api.chat(model, { ...asked, ...call }));
  return { exchange, fitsModel: isBeyondModel(exchange) && (await modelTakes(t, options)) };
}

/** Whether a prompt that is too long for a budget is so in parts, too. Only a success is judged: a model need not take parts. */
export async function refusedInParts(
  t: RouterContext,
  key: TokenKey,
  text: string,
): Promise<Judgement> {
  const inParts = conversation(['user', [{ type: 'text', text }]]);
  const asked = { ...inParts, maxTokens: SMALL_OUTPUT, stream: true };
  const { exchange } = await beyondBudget(t, key, asked);
  return isSuccess(exchange) ? refusedForBudget(exchange) : notObserved;
}

/**
 * Asks for a maximum that a count of 32 bits takes for a small one, and for one whose sum with a long prompt a count of 64 bits
 * takes for a negative one. Whether a router reads such numbers is open, so only a success is judged.
 */
export async function beyondCounters(
  t: RouterContext,
  key: TokenKey,
  member: 'maxTokens' | 'maxCompletionTokens',
): Promise<Judgement> {
  const text = words(t, Math.min(8 * key.limit, mostWords(t)));
  const judgements: Judgement[] = [];
  for (const asked of [
    { [member]: 2 ** 32 + SMALL_OUTPUT },
    // As a stream, since the prompt alone would make it an overrun otherwise.
    { [member]: 2 ** 63 - 1_024, text, stream: true },
  ]) {
    const { exchange } = await beyondBudget(t, key, asked);
    judgements.push(isSuccess(exchange) ? refusedForBudget(exchange) : notObserved);
  }
  return together(...judgements);
}

/** Whether the model accepts a request from a key without a budget. */
async function modelTakes(t: RouterContext, options: InferenceOptions): Promise<boolean> {
  const script = await t.backend.script([SILENT]);
  return isSuccess(await t.api.chat(requireFixture(t, 'chat'), { ...options, script }));
}

/** Sends a request that cannot fit and then one that does, to an engine that writes nothing. */
export async function askedAround(
  t: RouterContext,
  key: TokenKey,
  { tooMuch, fits }: Readonly<Record<'tooMuch' | 'fits', InferenceOptions>>,
) {
  const model = requireFixture(t, 'chat');
  const script = await t.backend.script([SILENT]);
  const common: InferenceOptions = { as: key.name, script };
  const small = async (options: InferenceOptions) =>
    onceServed(t, model, async () => t.api.chat(model, { ...common, ...options }));
  // A key that was spent before this run refuses everything. A stream without output costs next to nothing, too.
  const first = await small({ maxTokens: SMALL_OUTPUT, stream: true });
  const other = await small({ maxCompletionTokens: SMALL_OUTPUT });
  const { hits: control } = await t.backend.counts(script);
  if (control === 0 || !(isSuccess(first) || isSuccess(other))) {
    throw new Inconclusive(
      `the key ${key.name} is refused from the start (${outcomeText(first)}): is its quota spent?`,
    );
  }
  const far = { ...common, ...tooMuch };
  const refused = await firstAnswer(async (call) => t.api.chat(model, { ...far, ...call }));
  await t.api.chat(model, { ...far, stream: true, repeat: false });
  const hits = (await hitsOfRefused(t, script, control)) - control;
  const passed = await small(fits);
  const fitsModel = isBeyondModel(refused) && (await modelTakes(t, tooMuch));
  return { refused, passed, hits, fitsModel };
}

/** Spends a key with a stream beyond its budget, and waits until that is accounted for. */
export async function overrunByStream(t: RouterContext, key: TokenKey) {
  const { exchange, bytes } = await writeStreamBeyond(t, key);
  const after = await afterAccounting(t, key);
  const isSameDay = isSameBudgetDay(exchange.startedAt, Date.now(), exchange);
  const judgement = isSameDay ? refusedForBudget(after) : notObserved;
  return { exchange, bytes, judgement };
}

/**
 * Uses up the budget of a key with a completion, a stream and as many completions as it takes. Judges whether a request
 * beyond the rest was refused up front after the completion (`whole`) and the stream (`streamed`), whether less remained
 * after the completion (`fell`), and whether the completion was refused whose output no longer fitted (`last`).
 */
export async function usedInParts(t: RouterContext, key: TokenKey) {
  if (isClaimedAlone(key.limit)) {
    const unwritten = `nearly all of a budget of ${key.limit} tokens is not written out, and a router may count for itself`;
    for (const slug of ['up-front-what-is-left', 'stream-output-accounted'] as const) {
      t.notExercised(`${ID}.${slug}`, unwritten);
    }
  }
  const whole = await beyondWhatIsLeft(t, key, 'completion');
  // The refusal shows that the completion was accounted for. Otherwise more is left than the stream takes.
  const knows = whole !== undefined && isOverBudget(whole.exchange);
  const fell = knows ? await fellAfter(t, key, whole.taken) : notObserved;
  const stream = knows ? await beyondWhatIsLeft(t, key, 'stream') : undefined;
  if (showsNothingOf(whole === undefined ? [] : [whole.taken], 'tokens')) {
    const unseen = `no answer before the overrun had ${remainingHeaders.tokens}`;
    t.notExercised('router.response-headers.remaining-tokens-counts-down', unseen);
  }
  // A replica that has not heard of the stream may have more left.
  const isHalfUsed =
    t.limits.replicas === 1 && stream !== undefined && isOverBudget(stream.exchange);
  const { last, beyond } = await overrunByParts(t, key, isHalfUsed);
  // The discarded output of an overrun need not be charged, but a delivered stream is.
  if (!isOverBudget(await smallRequest(t, key))) {
    // What is left may be less than the stream takes.
    await writeStreamBeyond(t, key).catch(orInconclusive);
    if (!isOverBudget(await afterAccounting(t, key))) {
      const unspent = 'the key was not refused after a stream that used up its budget';
      t.inconclusive(`${ID}.budget-on-other-routes`, unspent);
    }
  }
  const isConclusive = isOverBudget(last) || (isSuccess(last) && beyond);
  return {
    whole: refusedUpFront(whole),
    streamed: refusedUpFront(stream),
    fell,
    last: isConclusive ? refusedForBudget(last) : notObserved,
  };
}

/** Whether a maximum that fitted the budget was refused before an engine saw it, once a prompt was answered with nothing. */
export async function promptUsed(t: RouterContext, key: TokenKey): Promise<Judgement> {
  return refusedUpFront(await beyondWhatIsLeft(t, key, 'prompt'));
}

/** Whether a request beyond what is left was refused before an engine saw it. One that found no room shows nothing. */
function refusedUpFront(beyond: Beyond | undefined): Judgement {
  if (beyond === undefined) return notObserved;
  const { exchange, hits } = beyond;
  if (foundNoRoom(exchange) || isInternalFailure(exchange)) return notObserved;
  return together(refusedForBudget(exchange), reachedNoEngine(exchange, hits));
}

/**
 * An overrun by a long prompt, and what remained before and after it: a rejection may tell where a success does not, and the
 * other way round. The model is the one with few places in flight if the key is told of a budget there, which may be one of
 * that model alone: a place that the overrun keeps is missed there.
 */
export async function toldAroundOverrun(t: RouterContext, key: TokenKey) {
  const around = async (model: string, most = Infinity) => {
    const small = async () => smallRequest(t, key, 'nothing', model);
    const tooMuch = async () => t.api.chat(model, { as: key.name, maxTokens: farOver(key) });
    const befores = [await small(), await tooMuch()];
    const left = befores.map((one) => remainingOf(one, 'tokens') ?? Infinity);
    if (Math.min(...left) > most) throw new Inconclusive(`no such budget is told with ${model}`);
    const seen = await overrunByLongPrompt(t, key, model);
    return { befores, ...seen, afters: [await tooMuch(), await small()] };
  };
  const { maxInflight } = t.models;
  const limited = maxInflight && (await around(maxInflight.id, key.limit).catch(orInconclusive));
  return limited ?? around(requireFixture(t, 'chat'));
}

/** Whether less remains after a small request than after the response that used a large part of the budget. */
async function fellAfter(t: RouterContext, key: TokenKey, taken: Exchange): Promise<Judgement> {
  return eventually(t, 'replicaTold', async () => {
    const small = await smallRequest(t, key);
    // A refusal may report the true remainder even if no success does.
    return isSuccess(small) ? remainingTokensFell(taken, small) : notObserved;
  });
}

/** Milliseconds for which a run waits for midnight. */
const MAX_WAIT_MS = 30_000;
/** Milliseconds by which clocks of a deployment may differ: for so long around midnight either day may count. */
const CLOCKS_MS = 2_000;

function hoursAndMinutes(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Spends a budget before midnight UTC; returns a small request's response after it. Throws when midnight is far away. */
export async function afterMidnight(t: RouterContext): Promise<Exchange> {
  const ahead = clockAheadMs(await t.api.models());
  if (ahead === undefined) {
    throw new NotExercised('no Date header tells when the day of the deployment ends');
  }
  const waiting = untilMidnightMs(Date.now() + ahead);
  if (waiting > MAX_WAIT_MS) {
    throw new NotExercised(
      `not exercised by time of day: midnight UTC is ${hoursAndMinutes(waiting)} away; a run that begins in the ${MAX_WAIT_MS / 1_000} seconds before it sees the day end`,
    );
  }
  const midnight = Date.now() + waiting;
  const key = await spendKey(t);
  const small = async () => smallRequest(t, key);
  await overrun(t, key);
  const spent = await small();
  if (!isOverBudget(spent)) {
    throw new Inconclusive(`the budget of a key could not be spent (${outcomeText(spent)})`);
  }
  if (Date.now() > midnight - CLOCKS_MS) {
    throw new Inconclusive('midnight came before the budget of a key was spent');
  }
  return t.yieldTarget(async () => {
    await pause(midnight + CLOCKS_MS - Date.now(), t.signal);
    return retry(t, 'nextDay', small, (exchange) => !isOverBudget(exchange));
  });
}
