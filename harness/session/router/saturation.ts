/**
 * Filling the whole router: every processor with a request that its engine holds, then the pending channel. It costs
 * everybody five seconds, so that all that can be seen of a full router is seen in one filling.
 */

import { held } from '../../backend/behaviours.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { pause } from '../../exchange/budget.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import { outcomeText } from '../../checks/router/final-codes.ts';
import { isSuccess } from '../../checks/router/success.ts';
import type { RouterTarget } from '../../../schemas/target.ts';
import { QUEUE_FULL_SECONDS } from '../../../schemas/router/admission.ts';
import { Inconclusive } from '../../suite/signals.ts';
import { chattingModels, firstWithRoom } from './first-with-room.ts';
import { requireFixture } from './fixture.ts';
import type { RouterContext } from './session.ts';
import { SharedWork } from './shared-work.ts';
import { underWay } from './under-way.ts';

/** Requests beyond what processors and channel take, for what a router holds between the two. */
const OVERFILL = 16;
/** Requests that a full router refuses at most: those beyond what it takes, the one that waits for a processor, and the last. */
export const MOST_REFUSED = OVERFILL + 2;
/** Without another arrival at the engine for as long as the first took, the processors count as full. */
const LEAST_QUIET_MS = 60;
const LOOK_EVERY_MS = 10;
/** Times as long for which nobody may come where fewer came than were sent: on a busy machine some are late. */
const LATECOMERS = 8;
/** Milliseconds that a refusal may take beyond the five seconds. */
const REFUSAL_MS = 2_500;
/** Times by which answers came late that a full channel may take longer to refuse: to be entered, to be left, and to be told. */
const LAGS = 3;
/** Milliseconds for which requests wait for a processor where the channel is not filled. */
const PROCESSOR_WAIT_MS = 2_000;

export interface Saturation {
  /** When the first request left, in milliseconds since the epoch. */
  readonly filledFrom: number;
  /** A request that met a full channel; none where no full channel can be seen, or where the router called it full at once. */
  readonly further: Exchange | undefined;
  /** Requests that were answered before anything was let go. */
  readonly refused: readonly Exchange[];
  /** A request that waited for a processor and then met a silent engine, and how long it waited, in milliseconds; none where the router was full too early. */
  readonly waited: Promise<{ readonly exchange: Exchange; readonly waitedMs: number }> | undefined;
  /** Requests that were in the channel before it was filled, since somebody else had the processors that they were for. */
  readonly early: number;
}

/** Share of all requests of a run that may go into the pending channel. */
const SHARE_OF_BUDGET = 0.5;

/** Why a full channel cannot be seen, and the line of the target file that helps; undefined where it can. */
export function whyNoFullChannel(
  target: Pick<RouterTarget, 'limits' | 'budget'>,
): { readonly reason: string; readonly line?: string } | undefined {
  const { requestTimeoutMs: deadline, queueSize } = target.limits ?? {};
  if (queueSize === undefined) {
    return { reason: 'needs the size of the pending queue', line: 'limits: { queueSize: 100 }' };
  }
  if (deadline !== undefined && deadline < QUEUE_FULL_SECONDS * 1_000 + 500) {
    return {
      reason: `a deadline of ${deadline} ms passes before the channel can be full for ${QUEUE_FULL_SECONDS} seconds`,
    };
  }
  if (queueSize <= SHARE_OF_BUDGET * target.budget.requests) return undefined;
  return {
    reason: `to fill a channel of ${queueSize} takes too many of ${target.budget.requests} requests`,
    line: `budget: { requests: ${Math.ceil(queueSize / SHARE_OF_BUDGET)} }`,
  };
}

/** The filling of the router behind a session; needs `limits.maxConcurrent` and the plain chat model. */
export const saturation = new SharedWork<Saturation>(fillUntilTold);

/**
 * Fills once more when the request beyond found room after all: on a machine with too much to do the router may come to
 * refuse too late, when what filled it had to be let go or met its deadline. Throws `Inconclusive` when others were
 * refused beside it.
 */
async function fillUntilTold(t: RouterContext): Promise<Saturation> {
  const deadlineMs = t.limits.requestTimeoutMs;
  const first = await fill(t);
  if (!foundRoom(first, deadlineMs)) return first;
  const again = await fill(t);
  if (!foundRoom(again, deadlineMs) || again.further === undefined) return again;
  if (again.refused.some(wasRefused) || isTimeout(again.further)) {
    throw new Inconclusive(
      'what filled the router was refused or let go, and the last request met a place that came free',
    );
  }
  return again;
}

/**
 * Whether the request beyond was served, or met its deadline where others were refused or where what filled the router had
 * met its own, and made room, before the channel was full for five seconds. How late answers come on a machine with too
 * much to do shows in how long after their deadline they do.
 */
export function foundRoom(
  { further, refused }: Pick<Saturation, 'further' | 'refused'>,
  deadlineMs = Infinity,
): boolean {
  if (further === undefined) return false;
  if (!isTimeout(further)) return isSuccess(further);
  const late = refused.filter(isTimeout);
  const lagMs = Math.max(0, ...[further, ...late].map((one) => one.durationMs - deadlineMs));
  const fullUntil = further.startedAt + QUEUE_FULL_SECONDS * 1_000 + LAGS * lagMs;
  return refused.some(wasRefused) || late.some((one) => endOf(one) < fullUntil);
}

function endOf({ startedAt, durationMs }: Exchange): number {
  return startedAt + durationMs;
}

function isTimeout(exchange: Exchange): boolean {
  return codeOf(exchange) === 'request_timeout';
}

/** Requests at the engines now, of whoever it may be: other suites that run against the router, too. */
async function inFlight(t: RouterContext): Promise<number> {
  const totals = await t.backend.totals();
  return totals.reduce((sum, listener) => sum + listener.inFlight, 0);
}

/** What filled the router may end at its deadline, which is no refusal. */
function wasRefused(exchange: Exchange): boolean {
  return !isSuccess(exchange) && !isTimeout(exchange);
}

async function fill(t: RouterContext): Promise<Saturation> {
  const model = requireFixture(t, 'chat');
  const { maxConcurrent = 1, queueSize = 0 } = t.limits;
  const fillsChannel = whyNoFullChannel(t.target) === undefined;
  const filler = await t.backend.script([held()]);
  const silent = await t.backend.script([held()]);
  const send = async (script: string, of = model) => t.api.chat(of, { script, unbounded: true });
  const models = chattingModels(t);
  const answered: Exchange[] = [];
  const sent: Promise<unknown>[] = [];
  let failure: unknown;
  const answeredSoFar = (): readonly Exchange[] => {
    if (failure !== undefined) throw failure;
    return answered;
  };
  const fillWith = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      sent.push(
        firstWithRoom(models, async (of) => send(filler, of)).then(
          (exchange) => answered.push(exchange),
          (error: unknown) => (failure ??= error),
        ),
      );
    }
  };
  const filledFrom = Date.now();
  try {
    // Others wait for their deadlines meanwhile: who came too much would fill the channel before its turn. But what other
    // processes hold ends when they like, and then it is these that have to come before the one that is watched.
    const heldHere = t.sharedPlaces.heldNow;
    const heldElsewhere = Math.max(0, (await inFlight(t)) - heldHere);
    const fillers = maxConcurrent - heldHere;
    fillWith(fillers);
    const quietMs = await arrived(t, filler, answeredSoFar, fillers - heldElsewhere);
    if (quietMs === undefined) {
      return {
        filledFrom,
        further: undefined,
        refused: [...answered],
        waited: undefined,
        early: 0,
      };
    }
    // What others keep a processor from waits in the channel already.
    const early = Math.max(0, fillers - (await t.backend.counts(filler)).held);
    // A session that ends meanwhile asks no more for it.
    const waiting = underWay(watched(t, silent, send(silent)));
    // It must be in the channel before others fill it: requests that leave together overtake each other.
    await pause(quietMs);
    const further = fillsChannel ? underWay(fillChannel(queueSize)) : undefined;
    if (further === undefined) await pause(PROCESSOR_WAIT_MS);
    const last = await further;
    return { filledFrom, further: last, refused: [...answered], waited: waiting, early };
  } finally {
    await t.backend.release(filler);
    await Promise.allSettled(sent);
  }

  async function fillChannel(size: number): Promise<Exchange | undefined> {
    fillWith(size + OVERFILL);
    if ((await arrived(t, filler, answeredSoFar)) === undefined) return undefined;
    const { held: atEngine } = await t.backend.counts(filler);
    if (atEngine > maxConcurrent) {
      throw new Inconclusive(
        `the router worked on ${atEngine} requests at once and not on ${maxConcurrent}: are there several replicas?`,
      );
    }
    const probe = underWay(send(filler));
    // Whoever is not refused by then is let go, so that nothing hangs.
    const letGo = setTimeout(
      () => void t.backend.release(filler),
      QUEUE_FULL_SECONDS * 1_000 + REFUSAL_MS,
    );
    try {
      return await t.withAside(async () => probe);
    } finally {
      clearTimeout(letGo);
    }
  }
}

/**
 * Waits until no more requests come in at the engine, and says for how many milliseconds none came; undefined when the
 * router calls its channel full meanwhile. Where fewer than `expected` came it waits longer. Throws `Inconclusive` when
 * some were answered otherwise.
 */
async function arrived(
  t: RouterContext,
  script: string,
  answered: () => readonly Exchange[],
  expected = 0,
): Promise<number | undefined> {
  const from = performance.now();
  let firstMs: number | undefined;
  let lastAt = from;
  let before = 0;
  while (answered().length === 0) {
    const { held: now } = await t.backend.counts(script);
    const at = performance.now();
    if (now > 0) firstMs ??= at - from;
    if (now !== before) lastAt = at;
    before = now;
    const quietMs = Math.max(LEAST_QUIET_MS, firstMs ?? Infinity);
    if (at - lastAt >= (now < expected ? LATECOMERS * quietMs : quietMs)) return quietMs;
    t.signal.throwIfAborted();
    await pause(LOOK_EVERY_MS);
  }
  if (answered().some((exchange) => codeOf(exchange) === 'queue_full')) return undefined;
  const ends = new Set(answered().map((exchange) => outcomeText(exchange)));
  throw new Inconclusive(
    `the router could not be filled: ${answered().length} of the requests that were to be held were answered at once (${[...ends].join(', ')})`,
  );
}

/** The end of a request that waits for a processor first, and how long it waited. */
async function watched(
  t: RouterContext,
  script: string,
  request: Promise<Exchange>,
): Promise<{ readonly exchange: Exchange; readonly waitedMs: number }> {
  const exchange = await request;
  const [hit] = await t.backend.hits(script);
  await t.backend.release(script);
  const until = hit?.at ?? exchange.startedAt + exchange.durationMs;
  return { exchange, waitedMs: until - exchange.startedAt };
}
