/** The occupancy share of a serverless key: filled by requests that the engine holds, and watched as it comes back. */

import { complete } from '../../backend/behaviour.ts';
import { type Judgement, notObserved, pass, together, violated } from '../../checks/judgement.ts';
import { isRateLimited } from '../../checks/limits/bucket.ts';
import { isOverConcurrency } from '../../checks/limits/together.ts';
import { endedWith, isSuccess } from '../../checks/router/outcome.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Experiment, Inconclusive, orInconclusive } from '../../runner/case.ts';
import type { InferenceOptions } from './api.ts';
import { words } from './bodies.ts';
import { cameBack } from './capacity.ts';
import { type Holding, hitsOfRefused, whileHeld } from './hold.ts';
import { leaveInEachWay } from './leave.ts';
import type { OverLimit, Provoked } from './provoke.ts';
import {
  ask,
  askEngine,
  askOther,
  awake,
  besideRefusals,
  everywhere,
  hasOverspent,
  rateOf,
  recovered,
  serverlessKey,
  SILENT,
} from './serverless.ts';
import { mayBeEjected } from './ejection.ts';
import type { RouterContext } from './session.ts';
import { limitMs, retry, within } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';

/** The result of filling a share. */
interface ShareFilled {
  /** Whether a request over the share was refused as it must be. */
  readonly judgement: Judgement;
  /** A request that was refused while others were held. */
  readonly refused?: Exchange;
  /** Engine hits of that request. */
  readonly hits: number;
  /** Heavier requests of other kinds, sent while the share was full: none of them fits either. */
  readonly beside: readonly Provoked[];
  /** A heavy request of another key, which has its own share. */
  readonly others: readonly Exchange[];
}

const NOTHING_SEEN: ShareFilled = { judgement: notObserved, hits: 0, beside: [], others: [] };

const CODE = 'rate_limit_exceeded';

/** Held requests: each weighs a sixth of the share by its input alone, and as much by the output that it asks for. */
const HELD = 8;
const WEIGHT = 1 / 6;
/** Held instead, by output alone, when several replicas may have taken all of those. */
const MANY_HELD = 24;
const MANY_WEIGHT = 1 / 3;
/** The part of the share that a request takes by its requested output alone: two fit, and three do not. */
const PART = 0.4;

/** The part of the deadline within which requests over the share wait visibly, before the held ones end. */
const BEFORE_DEADLINE = 0.6;

/** The key over its share, and whether the share came back after requests that end in each way; once for all cases. */
export const shareExceeded = new Experiment(async (t: RouterContext) => {
  const { judgement, refused, hits, beside, others, back } = await fillShare(t);
  const over: OverLimit = {
    limited: judgement,
    refused: refused === undefined ? [] : [refused],
    beyond: refused === undefined ? [] : [{ exchange: refused, hits }, ...beside],
    others: t.target.keys.second === undefined ? undefined : others,
  };
  return { ...over, back };
});

/**
 * Requests for more output together than the rate gives, of an engine that writes none, refused while small ones pass: not
 * for the share, of which little is held, but for an output rate that is charged what is asked for; once for all cases.
 */
export const refusedUpFront = new Experiment(
  async (t: RouterContext) => (await askForMuch(t).catch(orInconclusive)) ?? [],
);

/** The part of the share that each of them takes by its output, so little that it fits whatever output weighs. */
const SMALL_PART = 1 / 20;
/** What they ask for together, as a multiple of a minute's rate, and the most of them. */
const ASKED = { over: 1.5, most: 20 } as const;

async function askForMuch(t: RouterContext): Promise<readonly Exchange[]> {
  const { occupancyShare: share = 0, outputTokensPerMinute: rate = 0 } = serverlessKey(t);
  const maxTokens = Math.floor(SMALL_PART * share);
  let left = Math.ceil((ASKED.over * rate) / maxTokens);
  if (!(left <= ASKED.most)) return [];
  let refused: Exchange[] = [];
  await recovered(t);
  while (left > 0 && refused.length < everywhere(t)) {
    const { exchange } = await askEngine(t, { maxTokens, unbounded: true });
    if (isRateLimited(exchange)) {
      refused.push(exchange);
      await recovered(t);
    } else {
      refused = [];
      left -= 1;
    }
  }
  return refused;
}

/** Fills the share, and checks that it comes back after requests that end in each way. */
async function fillShare(t: RouterContext) {
  const isTold = (await refusedUpFront.of(t)).length === 0;
  const isBack = async () =>
    isTold ? shareIsBack(t, async () => (await askEngine(t, byOutput(t))).exchange) : notObserved;
  const unseen = { back: notObserved };
  const wasFree = !(await askOther(t)).some(isRateLimited);
  let filled: ShareFilled | undefined;
  try {
    filled = await retry(t, 'shareFilled', async () => fillOnce(t), Boolean);
    if (filled === undefined) throw new Inconclusive('the share could not be filled');
  } catch (error) {
    // What earlier requests leaked of the share may leave too little to fill.
    const back = await isBack();
    if (back.violations.length === 0) throw error;
    return { ...NOTHING_SEEN, ...unseen, back };
  }
  const back = await isBack();
  if (back.violations.length > 0) return { ...filled, ...unseen, back };
  if (filled.refused === undefined || !isTold) return { ...filled, ...unseen };
  const later = await backAfterLeaving(t);
  const allBack = later.seen === 0 ? later : together(back, later);
  return { ...filled, others: wasFree ? filled.others : [], back: allBack };
}

/** A request that takes a part of the share by its requested output alone. */
export function byOutput(t: RouterContext): InferenceOptions {
  return { maxTokens: Math.ceil(PART * rateOf(serverlessKey(t).occupancyShare)), unbounded: true };
}

/** One filling; undefined when the key was short of input. Under a low input rate, requests weigh by output. */
async function fillOnce(t: RouterContext): Promise<ShareFilled | undefined> {
  await recovered(t);
  const { occupancyShare: share, inputTokensPerMinute: perMinute = Infinity } = serverlessKey(t);
  const size = Math.max(1, Math.floor(WEIGHT * rateOf(share)));
  if (perMinute < 4 * HELD * size) {
    const filled = await fillWith(t, byOutput(t), HELD);
    if (isRateLimited(await ask(t))) return undefined;
    if (filled.judgement.violations.length === 0) return filled;
    throw new Inconclusive(
      `an input rate of ${perMinute} lets too little in to fill a share of ${share} by its input, and the output asked for does not fill it: the rate would have to be ${HELD} times the share`,
    );
  }
  const options = { text: words(t, size), maxTokens: size, unbounded: true };
  const filled = await fillWith(t, options, HELD);
  if (filled.judgement.violations.length > 0) {
    const maxTokens = Math.floor(MANY_WEIGHT * rateOf(share));
    return fillWith(t, { maxTokens, unbounded: true }, MANY_HELD);
  }
  if (filled.refused === undefined || !(await isShortOfInput(t, options))) return filled;
  // Requests that are refused late spend the input rate, which later requests are short of.
  return filled.hits > 0 ? { ...filled, judgement: notObserved } : undefined;
}

/** Whether a refused request is still refused with nothing held, while one with an equally heavy output passes. */
async function isShortOfInput(t: RouterContext, options: InferenceOptions): Promise<boolean> {
  if (isSuccess((await askEngine(t, options)).exchange)) return false;
  return isSuccess((await askEngine(t, byOutput(t))).exchange);
}

/** Holds requests that together weigh more than the share, and sends one more beside them. */
async function fillWith(
  t: RouterContext,
  options: InferenceOptions,
  count: number,
): Promise<ShareFilled> {
  const send = async (script: string) => ask(t, { ...options, script });
  const { parkTimeoutMs = 0, requestTimeoutMs = Infinity } = t.limits;
  // A request may park for the token budget of its model before its share is checked. Held ones end at their deadline.
  const patienceMs = Math.max(
    waits.waitsForShare.withinMs + parkTimeoutMs,
    Math.min(limitMs('waitsForShare') + parkTimeoutMs, BEFORE_DEADLINE * requestTimeoutMs),
  );
  const fill = { count, send, patienceMs };
  const hold = async ({ early, script }: Holding): Promise<ShareFilled | undefined> => {
    const held = async () => (await t.backend.counts(script)).held;
    const before = await held();
    if (before === 0) {
      if (early.some(mayBeEjected)) return undefined;
      throw new Inconclusive(
        early.some(isRateLimited)
          ? 'the serverless key was refused though nothing of it was held'
          : 'the engine could not hold a request of the serverless key',
      );
    }
    if (before + early.length < count) {
      const { exchange: small } = await askEngine(t, { unbounded: true });
      const isQuick = isSuccess(small) && small.durationMs <= waits.waitsForShare.withinMs / 3;
      return { ...NOTHING_SEEN, judgement: isQuick ? notRefused('some wait', small) : notObserved };
    }
    // A replica with its own share may have room when the one before had none.
    for (let left = everywhere(t); ; left -= 1) {
      const { exchange, script: asked } = await askEngine(t, options);
      if (isRateLimited(exchange)) {
        const hits = await hitsOfRefused(t, asked);
        const full = await besideFull(t, options);
        return { judgement: pass(), refused: exchange, hits, ...full };
      }
      if (isOverConcurrency(exchange)) {
        const isOwn = (await othersPass(t, options)) && (await held()) === before;
        return isOwn ? { ...NOTHING_SEEN, judgement: endedWith(exchange, [CODE]) } : NOTHING_SEEN;
      }
      if (!isSuccess(exchange)) return NOTHING_SEEN;
      // A held request whose deadline passed meanwhile made room.
      if ((await held()) < before) return NOTHING_SEEN;
      if (left === 1)
        return { ...NOTHING_SEEN, judgement: notRefused('none was refused', exchange) };
    }
  };
  const attempt = async () => whileHeld(t, fill, hold);
  const filled = await retry(t, 'agentsHealthy', attempt, (one) => one !== undefined);
  if (filled !== undefined) return filled;
  throw new Inconclusive('the router leaves the agents of the serverless model out after failures');
}

function notRefused(actual: string, shown: Exchange): Judgement {
  return violated(
    'Requests of more than the occupancy share of their key were not refused.',
    { expected: `${CODE} for one of them`, actual },
    shown,
  );
}

/** Requests of other kinds that weigh twice as much, if the key is refused before and after them. */
async function besideFull(t: RouterContext, options: InferenceOptions) {
  const { text = 'Hi.', maxTokens = 1 } = options;
  const twice = { ...options, text: `${text} ${text}`, maxTokens: 2 * maxTokens };
  const refused = async () => (await askEngine(t, options)).exchange;
  const script = await t.backend.script([SILENT]);
  return besideRefusals(t, refused, twice, { ...options, script });
}

/** Whether the model has room for a small request of the key and a large one of another; false without another key. */
async function othersPass(t: RouterContext, options: InferenceOptions): Promise<boolean> {
  const { exchange: small } = await askEngine(t, { unbounded: true });
  const script = await t.backend.script([SILENT]);
  return isSuccess(small) && (await askOther(t, { ...options, script })).some(isSuccess);
}

/** Requests that leave in each way: as many as the share holds, so that leaks leave no room for one more. */
const LEAVINGS = 2;

/**
 * Whether the share is free after requests that the engine called invalid, after streams, and after clients that hung up.
 * A refusal while a minimal request passes is not for a rate. Not observed when a heavy request does not pass to begin
 * with.
 */
async function backAfterLeaving(t: RouterContext): Promise<Judgement> {
  await awake(t);
  const heavy = { ...byOutput(t), unbounded: false };
  const send = async () => (await askEngine(t, heavy, complete())).exchange;
  // A key that owes output refuses it for that.
  const first = await retry(t, hasOverspent(t) ? 'rateRefills' : 'returns', send, isSuccess);
  if (!isSuccess(first)) return notObserved;
  for (let left = LEAVINGS; left > 0; left -= 1) {
    await leaveInEachWay(t, async (call) => ask(t, { ...heavy, ...call }));
  }
  const withinMs = waits.returns.withinMs + (t.limits.requestTimeoutMs ?? 0);
  const last = await retry(t, within('returns', withinMs), send, isSuccess);
  const isShort = isRateLimited(last) && isSuccess((await askEngine(t, {}, complete())).exchange);
  return isSuccess(last) || isShort ? shareIsBack(t, send) : notObserved;
}

/**
 * Whether requests of the key are served again. A refusal may be for a rate: a debt of output may last for minutes, and a
 * refilling rate may not yet cover the request. What a minute without output does not bring back is the share, if a small
 * request passes meanwhile, or if the key never wrote more than a rate allows.
 */
async function shareIsBack(t: RouterContext, send: () => Promise<Exchange>): Promise<Judgement> {
  const judgement = await cameBack(t, send);
  if (judgement.violations.length === 0) return judgement;
  const last = await retry(t, 'rateRefills', send, (one) => !isRateLimited(one));
  if (!isRateLimited(last)) return cameBack(t, send);
  if (hasOverspent(t) && isRateLimited((await askEngine(t)).exchange)) {
    throw new Inconclusive(
      'the serverless key is still refused, perhaps for output that was charged late',
    );
  }
  return judgement;
}
