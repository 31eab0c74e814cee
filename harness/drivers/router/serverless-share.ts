/** Filling the occupancy share of a serverless key, and seeing it come back. */

import { complete, stall as heldAtEngine } from '../../backend/behaviour.ts';
import { type Judgement, notObserved, pass, together, violated } from '../../checks/judgement.ts';
import { isSuccess, outcomeText } from '../../checks/router/outcome.ts';
import { isCrowded } from '../../checks/limits/together.ts';
import { isRateLimited } from '../../checks/limits/bucket.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/case.ts';
import { headsSeen, hitsOfRefused, placesFor, whileHeld } from './hold.ts';
import type { InferenceOptions } from './api.ts';
import { provoke, type Provoked } from './provoke.ts';
import {
  ask,
  awake,
  NOTHING,
  rateOf,
  refusedEverywhere,
  rested,
  serverlessKey,
  SILENT,
} from './serverless.ts';
import type { RouterContext } from './session.ts';
import { words } from './bodies.ts';
import { cameBack } from './capacity.ts';
import { leaveInEachWay } from './leave.ts';
import {
  eventually,
  isPendingAfter,
  limitMs,
  rest,
  retry,
  underWay,
  waits,
  within,
} from '../../runner/retry.ts';

export interface ShareFilled {
  /** Whether a request over the share was refused as it must be. */
  readonly judgement: Judgement;
  /** The request that was refused for the share; undefined when none was. */
  readonly refused: Exchange | undefined;
  /** How often the engine was asked for it. */
  readonly hits: number;
  /** A request that was refused for the share or for the input rate, though its engine was asked: wrong for either. */
  readonly refusedLate?: Exchange | undefined;
  /** Heavier ones of other kinds, sent once one was refused for the share: none of them fits either. */
  readonly beside: readonly Provoked[];
  /** Sends one like it, which alone is within the share, to an engine that answers. */
  readonly oneMore: () => Promise<Exchange>;
}

/** Each request weighs a quarter of the share by its input alone, and as much by the output that it asks for. */
const QUARTERS = 8;
/** How much smaller the requests get where one of a quarter of the share is refused alone. */
const FINER = 4;

/** Where the input rate is small, the part of the share that the output asked for by each request takes. */
const OUTPUT_PART = 0.4;

/**
 * Holds one request after another at the engine, and before each asks whether a further one still passes: whatever a
 * router weighs, one of them is over the share. Where the input rate could refuse them as well, they weigh by the output
 * that they ask for alone, and a refusal counts when a request that asks for hardly any still passes.
 */
export async function fillShare(t: RouterContext): Promise<ShareFilled> {
  await rested(t);
  const { share, inputPerMinute = Infinity } = serverlessKey(t);
  const size = Math.max(1, Math.floor(rateOf(share) / 4));
  if (inputPerMinute < 4 * QUARTERS * size) return fillByOutput(t);
  const leave = await placesFor(t, QUARTERS);
  try {
    const filled = await fillByInput(t, size);
    if (filled.refusedAlone !== true) return filled;
    const leak = await leaked(t, size);
    if (leak !== undefined) return leak;
    // A router may count several tokens to a word, and then a quarter of the share in words is over it.
    const finer = await fillByInput(t, Math.max(1, Math.floor(size / FINER)));
    if (finer.refusedAlone !== true && finer.unfilled !== true) return finer;
  } finally {
    leave();
  }
  throw new Inconclusive('the serverless key was refused though nothing of it was held');
}

/** Fills the share with requests of so many words that ask for as many tokens. */
async function fillByInput(t: RouterContext, size: number): Promise<Crowded & ShareFilled> {
  const options = { text: words(size), maxTokens: size, unbounded: true };
  const oneMore = async () => (await probe(t, options)).exchange;
  const crowded = await crowdedBy(t, options, 0);
  if (crowded.refused === undefined || crowded.refusedAlone === true)
    return { ...crowded, oneMore };
  if (!(await isShortOfInput(t, oneMore, size))) return { ...crowded, oneMore };
  // Refused late, requests spend the input rate that those after them are short of.
  const refusedLate = crowded.hits > 0 ? crowded.refused : undefined;
  return { ...crowded, judgement: notObserved, refused: undefined, refusedLate, oneMore };
}

/**
 * Whether a request that was refused beside others is short of the input rate, which others may have spent: with nothing
 * held it is refused still, though one passes that weighs as much by the output alone that it asks for.
 */
async function isShortOfInput(
  t: RouterContext,
  oneMore: () => Promise<Exchange>,
  size: number,
): Promise<boolean> {
  if (isSuccess(await oneMore())) return false;
  return isSuccess((await probe(t, { maxTokens: 2 * size, unbounded: true })).exchange);
}

/**
 * Of a key that is refused though nothing of it is held: the refusal of a request that weighs half of the share by the
 * output alone that it asks for, while one that weighs next to nothing passes. No rate does that; a share that did not
 * come back does. Undefined where such a request passes. Throws `Inconclusive` where not even the small one does.
 */
async function leaked(t: RouterContext, size: number): Promise<ShareFilled | undefined> {
  const half = { maxTokens: 2 * size, unbounded: true };
  const oneMore = async () => (await probe(t, half)).exchange;
  const refused = await retry(t, 'returns', oneMore, isSuccess);
  if (isSuccess(refused)) return undefined;
  if (!isRateLimited(refused) || !isSuccess((await probe(t, {})).exchange)) {
    throw new Inconclusive('the serverless key was refused though nothing of it was held');
  }
  return { judgement: notObserved, refused, hits: 0, beside: [], oneMore };
}

async function fillByOutput(t: RouterContext): Promise<ShareFilled> {
  const { share, inputPerMinute } = serverlessKey(t);
  const options = { maxTokens: Math.ceil(OUTPUT_PART * rateOf(share)), unbounded: true };
  const leave = await placesFor(t, QUARTERS);
  try {
    const crowded = await crowdedBy(t, options, 0, async () => isRateLimited(await ask(t)));
    if (crowded.unfilled !== true && crowded.byInput !== true) {
      return { ...crowded, oneMore: async () => (await probe(t, options)).exchange };
    }
  } finally {
    leave();
  }
  throw new Inconclusive(
    `an input rate of ${inputPerMinute} lets too little in to fill a share of ${share} by its input, and the output asked for does not fill it: the rate would have to be ${QUARTERS} times the share`,
  );
}

async function probe(t: RouterContext, options: InferenceOptions) {
  const script = await t.backend.script([SILENT]);
  const exchange = await ask(t, { ...options, script });
  return { exchange, hits: await hitsOfRefused(t, script) };
}

/** Asks for twice as much, as a stream and on the messages route. */
async function heavier(t: RouterContext, options: InferenceOptions): Promise<readonly Provoked[]> {
  const { as, model } = serverlessKey(t);
  const { text = 'Hi.', maxTokens = 1 } = options;
  const twice = { ...options, as, model, text: `${text} ${text}`, maxTokens: 2 * maxTokens };
  const kinds = [{ stream: true }, { route: 'messages' }] as const;
  return Promise.all(kinds.map(async (kind) => provoke(t, complete(), { ...twice, ...kind })));
}

type Crowded = Omit<ShareFilled, 'oneMore'> & {
  /** True when requests that weigh hardly anything were refused as well. */
  readonly byInput?: boolean;
  /** True when nothing was refused. */
  readonly unfilled?: boolean;
  /** True when one was refused though none was held. */
  readonly refusedAlone?: boolean;
};

/** With `others` requests held already: asks for one more, holds another, and so on. */
async function crowdedBy(
  t: RouterContext,
  options: InferenceOptions,
  others: number,
  smallRefused?: () => Promise<boolean>,
  isHeld: () => Promise<boolean> = async () => Promise.resolve(true),
): Promise<Crowded> {
  const asked = await inTime(t, options, others > 0);
  if ('waits' in asked) return { refused: undefined, hits: 0, beside: [], judgement: asked.waits };
  const { exchange, hits } = asked;
  if (isRateLimited(exchange)) {
    const byInput = (await smallRefused?.()) ?? false;
    // One that is refused alone is no matter of a share that others fill.
    if (others === 0 || byInput) {
      const refused = others > 0 ? exchange : undefined;
      const judgement = others > 0 ? pass() : notObserved;
      return { judgement, refused, hits, byInput, beside: [], refusedAlone: others === 0 };
    }
    const oneMore = async () => (await probe(t, options)).exchange;
    // A replica with a share of its own may have room where the one before had none.
    const full = await refusedEverywhere(t, oneMore);
    const heavy = full ? await heavier(t, options) : [];
    // Whoever was held and left meanwhile, its deadline having passed, made room.
    const still = full && (await refusedEverywhere(t, oneMore));
    return { judgement: pass(), refused: exchange, hits, byInput, beside: still ? heavy : [] };
  }
  const none = { refused: undefined, hits, beside: [] };
  if (isCrowded(exchange) && others > 0)
    return { ...none, ...(await countedAlone(t, { options, refused: exchange, others, isHeld })) };
  if (!isSuccess(exchange)) return { ...none, judgement: notObserved };
  if (others === QUARTERS) return { ...none, judgement: neverRefused(exchange), unfilled: true };
  const send = async (script: string) => ask(t, { ...options, script });
  return whileHeld(t, { count: 1, send, placesTaken: true }, async ({ early, script }) => {
    if (others === 0 && early.some(isRateLimited)) {
      return { ...none, judgement: notObserved, refusedAlone: true };
    }
    if (early.length > 0) throw new Inconclusive('the engine could not hold a request that passed');
    // The first that is held is the first to meet its deadline.
    const held = others > 0 ? isHeld : async () => (await t.backend.counts(script)).held > 0;
    return crowdedBy(t, options, others + 1, smallRefused, held);
  });
}

/**
 * Sends one. Where it may be over the share and is not answered for long, though one that weighs next to nothing is served
 * meanwhile, it waits for the share, and is given up.
 */
async function inTime(
  t: RouterContext,
  options: InferenceOptions,
  mayBeOver: boolean,
): Promise<Awaited<ReturnType<typeof probe>> | { readonly waits: Judgement }> {
  if (!mayBeOver) return probe(t, options);
  const end = new AbortController();
  const sent = underWay(probe(t, { ...options, signal: end.signal }));
  // It may park for the token budget of its model before its share is looked at.
  const waitsMs = limitMs('waitsForShare') + (t.limits.parkTimeoutMs ?? 0);
  if (!(await isPendingAfter(t, waitsMs, sent))) return sent;
  const small = await probe(t, { unbounded: true });
  if (!isSuccess(small.exchange) || small.exchange.durationMs > limitMs('waitsForShare') / 3)
    return sent;
  end.abort();
  const { exchange } = await sent;
  if (exchange.ending === 'complete') return sent;
  return {
    waits: violated(
      'A request over the occupancy share of its key waits, and is not refused.',
      {
        expected: 'rate_limit_exceeded',
        actual: `nothing after ${Math.round(exchange.durationMs)} ms, beside a small request that is served`,
      },
      exchange,
      small.exchange,
    ),
  };
}

function neverRefused(exchange: Exchange): Judgement {
  return violated(
    'Requests of twice the occupancy share were all admitted at once.',
    { expected: 'rate_limit_exceeded for one of them', actual: 'none was refused' },
    exchange,
  );
}

/** A request that was refused as crowded beside others that are held. */
interface RefusedAsCrowded {
  readonly options: InferenceOptions;
  readonly refused: Exchange;
  readonly others: number;
  readonly isHeld: () => Promise<boolean>;
}

/**
 * A refusal as crowded is wrong, unless the model has no room for any key: neither for one more request, nor for as many
 * tokens. Without a second key that cannot be told.
 */
async function countedAlone(
  t: RouterContext,
  { options, refused, others, isHeld }: RefusedAsCrowded,
): Promise<Pick<Crowded, 'judgement' | 'refused'>> {
  const small = await probe(t, { unbounded: true });
  const passes = isSuccess(small.exchange) && (await passesForSecond(t, options));
  // What was held may have met its deadline meanwhile, and made room.
  const isOwn = passes && (await isHeld());
  return {
    judgement: isOwn
      ? violated(
          'A key over its occupancy share was refused with another code.',
          { expected: 'rate_limit_exceeded', actual: `${outcomeText(refused)} beside ${others}` },
          refused,
        )
      : notObserved,
    refused: undefined,
  };
}

/** Whether another key may ask the model for as much at the same time. */
async function passesForSecond(t: RouterContext, options: InferenceOptions): Promise<boolean> {
  if (t.target.keys.second === undefined) return false;
  const script = await t.backend.script([SILENT]);
  const { model } = serverlessKey(t);
  return isSuccess(await t.api.chat(model, { ...options, script, as: 'second' }));
}

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
  const back = await cameBack(t, filled.oneMore);
  return { judgement: notObserved, back: together(back, await shareAfterLeaving(t)) };
}
