/** One filling of a router: every processor with a request that its engine holds, then the pending channel. */

import { stall } from '../../backend/behaviour.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { pause } from '../../exchange/budget.ts';
import { farBeyondMs } from '../../checks/limits/deadline.ts';
import { QUEUE_FULL_SECONDS } from '../../../schemas/router/admission.ts';
import { Inconclusive } from '../../runner/case.ts';
import type { RouterContext } from './session.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import { outcomeText } from '../../checks/router/outcome.ts';
import { requireFixture } from './fixtures.ts';
import { isPendingAfter, limitMs, rest, underWay } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';
import { sendQueued, type Waited, type QueuedRequest } from './hold.ts';
import { chattingModels, firstWithRoom } from './agents.ts';

/** Requests beyond what processors and channel take, for what a router holds between the two. */
const OVERFILL = 16;

/** Requests that a full router refuses beside those that were in the channel before: what is beyond its size, and the last. */
export const MAX_REFUSED = OVERFILL + 1;

/** Milliseconds that a refusal may take beyond the five seconds. */
const REFUSAL_MS = 2_500;

/** Milliseconds beyond the five seconds after which a refusal is overdue, where the router answers others. */
const OVERDUE_MS = 1_500;

/** Milliseconds to a deadline for which a router may be kept full: nobody else is served meanwhile. */
const LONGEST_KEPT_MS = 15_000;

/** Requests that are kept waiting until their deadline: one comes to a processor after all when an earlier one meets its own. */
const KEPT = 2;

/** Streams that are let go, for the first that waits to come to a processor. */
const LET_GO = 1;

/**
 * Whether requests can be kept waiting until their deadline passes: streams of ours must take up the processors that others
 * have now, and wait for them in the channel.
 */
function canKeep({ limits: { requestTimeoutMs, queueSize = 0 } }: RouterContext, others: number) {
  return (
    requestTimeoutMs !== undefined &&
    requestTimeoutMs <= LONGEST_KEPT_MS &&
    others + 2 + KEPT <= queueSize
  );
}

/** Requests at the engines now, of whoever it may be: other suites that run against the router, too. */
async function inFlight(t: RouterContext): Promise<number> {
  const totals = await t.backend.totals();
  return totals.reduce((sum, listener) => sum + listener.inFlight, 0);
}

/** What was seen of a filling, {@link fillBy}. */
export type Filling = NonNullable<Awaited<ReturnType<typeof fillBy>>>;

/**
 * Fills a router with `limits.maxConcurrent` processors, and its channel where `fillsChannel`: by streams, which no deadline
 * need end, or, where those take no processor, by answers that are held back. Throws `Inconclusive` when it cannot be filled.
 */
export async function fill(t: RouterContext, fillsChannel: boolean): Promise<Filling> {
  const now = await inFlight(t);
  // A case that waits for its turn to go on keeps its places, though what it held has met its deadline.
  const here = Math.min(t.sharedPlaces.heldNow, now);
  const others = { here, elsewhere: now - here };
  const filled =
    (fillsChannel && canKeep(t, now)
      ? await fillBy(t, true, { fillsChannel, others })
      : undefined) ?? (await fillBy(t, false, { fillsChannel, others }));
  if (filled === undefined) throw new Error('answers that are held back keep no processor');
  return filled;
}

interface FillOptions {
  readonly fillsChannel: boolean;
  /** Requests that others have at processors: cases beside this one, and whoever else uses the router. */
  readonly others: { readonly here: number; readonly elsewhere: number };
}

const NONE: Promise<readonly Waited[]> = Promise.resolve([]);

interface FullChannel {
  readonly further: Exchange | undefined;
  readonly other: Exchange | undefined;
}

const UNSEEN: FullChannel = { further: undefined, other: undefined };

/**
 * One filling; undefined when streams keep no processor from the request that was to wait for one. It began at `filledFrom`,
 * with `before` requests of ours in the channel, and `refused` were answered before anything was let go.
 * - `further` met a full channel; none where none can be seen, or where the router called it full at once. `other` was asked
 *   when that was overdue.
 * - `waited` waited for a processor and then met a silent engine; none where the router was full too early.
 * - `kept` were to wait for a processor until their deadline and, where it does not end them, far beyond: some may have come
 *   to one before. None where the processors cannot be kept so long, or where the router answers nobody.
 * - `keepersEnded`: streams that were to keep processors busy meanwhile ended though their engine let none go.
 */
async function fillBy(t: RouterContext, streams: boolean, { fillsChannel, others }: FillOptions) {
  const { maxConcurrent = 1, queueSize = 0, requestTimeoutMs = Infinity } = t.limits;
  const busy = await t.backend.script([stall(streams ? { afterEvents: 1 } : 'before-head')]);
  const load = loadOf(t, busy, streams);
  const filledFrom = Date.now();
  try {
    // Others wait for their deadlines meanwhile: who came too much would fill the channel before its turn. But what other
    // processes hold ends when they like, and then it is these that have to come before the one that is watched.
    const wanted = maxConcurrent - others.here;
    load.send(wanted);
    const quietMs = await load.arrived(wanted - others.elsewhere);
    const unkept = { kept: NONE, keepersEnded: false };
    if (quietMs === undefined) {
      const refused = [...load.answered()];
      return { filledFrom, ...UNSEEN, refused, before: 0, waited: undefined, ...unkept };
    }
    // What others keep a processor from waits in the channel already.
    const early = Math.max(0, wanted - (await t.backend.counts(busy)).held);
    // One for each processor that comes free before the deadlines of those that are kept: those of others before the one that
    // is watched, which would come to one of them too soon.
    const forOthers = streams ? Math.max(0, others.here + others.elsewhere - early) : 0;
    load.send(forOthers);
    if (forOthers > 0) await pause(quietMs);
    const first = await sendQueued(t);
    // It must be in the channel before others fill it: requests that leave together overtake each other.
    await pause(quietMs);
    if (streams && (await first.isServed())) {
      await first.letGo();
      return undefined;
    }
    const kept: QueuedRequest[] = [];
    const spare = streams ? forOthers + 1 : 0;
    if (streams) {
      load.send(1);
      await pause(quietMs);
      for (let count = 0; count < KEPT; count += 1) kept.push(await sendQueued(t));
      await pause(quietMs);
    }
    const { further, other } = fillsChannel ? await fillChannel() : UNSEEN;
    if (!fillsChannel) await rest(t, 'processor');
    // One that met its deadline in the channel made room in it, too.
    const left = [first, ...kept].flatMap(({ left: exchange }) => exchange() ?? []);
    const refused = [...load.answered(), ...left];
    const before = early + 1 + spare + kept.length;
    const filled = { filledFrom, further, other, refused, before, waited: first.end };
    if (kept.length === 0 || further === undefined) return { ...filled, ...unkept };
    // The first comes to a processor, and its engine is silent for what is left to its deadline.
    await t.backend.release(busy, LET_GO);
    const isLate = await untilLate(t, kept, requestTimeoutMs);
    const ends = isLate ? underWay(Promise.all(kept.map(({ end }) => end))) : NONE;
    const keepersEnded = load.answered().length > refused.length - left.length + LET_GO;
    return { ...filled, kept: ends, keepersEnded };
  } finally {
    await t.backend.release(busy);
    await load.ended();
  }

  async function fillChannel(): Promise<FullChannel> {
    load.send(queueSize + OVERFILL);
    if ((await load.arrived()) === undefined) return UNSEEN;
    const { held: atEngine } = await t.backend.counts(busy);
    if (atEngine > maxConcurrent) {
      throw new Inconclusive(
        `the router worked on ${atEngine} requests at once and not on ${maxConcurrent}: are there several replicas?`,
      );
    }
    const probe = underWay(load.sendOne());
    await t.allSent();
    const isOverdue = isPendingAfter(t, QUEUE_FULL_SECONDS * 1_000 + OVERDUE_MS, probe);
    // A request that is not refused by then is let go, so that nothing hangs.
    const letGo = setTimeout(
      () => void t.backend.release(busy),
      QUEUE_FULL_SECONDS * 1_000 + REFUSAL_MS,
    );
    try {
      const other = (await isOverdue) ? await t.api.models({ unbounded: true }) : undefined;
      return { further: await probe, other };
    } finally {
      clearTimeout(letGo);
    }
  }
}

/**
 * Waits until all that are kept waiting have ended, or ought to have by their deadline, be the machine as slow as it may.
 * False when the router answers no other request then either: what it keeps waiting shows nothing.
 */
async function untilLate(
  t: RouterContext,
  kept: readonly QueuedRequest[],
  deadlineMs: number,
): Promise<boolean> {
  const lateAt = Math.max(...kept.map(({ sentAt }) => sentAt)) + farBeyondMs(deadlineMs);
  const all = Promise.allSettled(kept.map(({ end }) => end));
  const inTime = await Promise.race([
    all.then(() => true),
    pause(lateAt - Date.now(), t.signal).then(() => false),
  ]);
  if (inTime) return true;
  const other = await t.api.models({ unbounded: true, timeoutMs: limitMs('signOfLife') });
  return other.ending === 'complete';
}

/** Without another arrival at the engine for as long as the first took, the processors count as full. */
const MIN_QUIET_MS = 60;

/** Times as long for which nobody may come where fewer came than were sent: on a busy machine some are late. */
const LATECOMERS = 8;

/** Requests whose engine does as a script says, streams if asked. */
function loadOf(t: RouterContext, script: string, stream: boolean) {
  const models = chattingModels(t);
  const answers: Exchange[] = [];
  const sent: Promise<unknown>[] = [];
  let failure: unknown;

  /** Sends one to the plain model, and leaves what becomes of it to the caller. */
  const sendOne = async (model = requireFixture(t, 'chat')): Promise<Exchange> =>
    t.api.chat(model, { script, unbounded: true, ...(stream ? { stream } : {}) });

  /** Sends `count` at once, each to the first chatting model that has a slot. */
  const send = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      sent.push(
        firstWithRoom(models, sendOne).then(
          (exchange) => answers.push(exchange),
          (error: unknown) => (failure ??= error),
        ),
      );
    }
  };

  /** Those that were answered by now. Throws when one could not be sent. */
  const answered = (): readonly Exchange[] => {
    if (failure !== undefined) throw failure;
    return answers;
  };

  /**
   * Waits until no more come in at the engine, and says for how many milliseconds none came; undefined when
   * the router calls its channel full meanwhile. Where fewer than `expected` came it waits longer. Throws `Inconclusive`
   * when some were answered otherwise.
   */
  const arrived = async (expected = 0): Promise<number | undefined> => {
    await t.allSent();
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
      const quietMs = Math.max(MIN_QUIET_MS, firstMs ?? Infinity);
      // All are there: nobody is left that could come.
      if (now >= sent.length && now >= expected) return quietMs;
      if (at - lastAt >= (now < expected ? LATECOMERS * quietMs : quietMs)) return quietMs;
      await pause(waits.arrives.pollMs[0], t.signal);
    }
    if (answers.some((exchange) => codeOf(exchange) === 'queue_full')) return undefined;
    const ends = new Set(answers.map((exchange) => outcomeText(exchange)));
    throw new Inconclusive(
      `the router could not be filled: ${answers.length} of the requests that were to be held were answered at once (${[...ends].join(', ')})`,
    );
  };

  const ended = async (): Promise<unknown> => Promise.allSettled(sent);
  return { sendOne, send, answered, arrived, ended };
}
