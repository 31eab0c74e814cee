/** One filling of a router: each processor gets a request that its engine holds, then the pending channel is filled. */

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

/** Requests beyond the processors and the channel, for what a router holds between the two. */
const OVERFILL = 16;

/** Most refusals of a full router, beside requests that were in the channel before: those beyond its size, and the last. */
export const MAX_REFUSED = OVERFILL + 1;

/** Milliseconds that a refusal may take beyond the five seconds. */
const REFUSAL_MS = 2_500;

/** Milliseconds beyond the five seconds after which a refusal is overdue, if the router answers other requests. */
const OVERDUE_MS = 1_500;

/** Longest deadline in milliseconds until which a router is kept full, since nobody else is served meanwhile. */
const LONGEST_KEPT_MS = 15_000;

/** Requests that are kept waiting until their deadline: one may get a processor when an earlier one meets its own. */
const KEPT = 2;

/** Streams that are released so that the first waiting request gets a processor, and others cannot take all the room. */
const LET_GO = 3;

/**
 * Milliseconds between the requests of other cases, which end at their deadline, and those of ours that then take their
 * processors, at most: as much of the deadline as the five seconds leave.
 */
const BEHIND_OTHERS_MS = { most: 1_000, beforeDeadline: 6_000 } as const;

/** Milliseconds after a request met the full channel at which the next comes, which thus waits on when that is refused. */
const NEXT_MS = 2_500;

/** Whether requests can be kept waiting until their deadline, behind our streams that take the processors of others. */
function canKeep({ limits: { requestTimeoutMs, queueSize = 0 } }: RouterContext, others: number) {
  return (
    requestTimeoutMs !== undefined &&
    requestTimeoutMs <= LONGEST_KEPT_MS &&
    others + 1 + LET_GO + KEPT <= queueSize
  );
}

/** Requests at the engines now, from any client, including other runs against the router. */
async function inFlight(t: RouterContext): Promise<number> {
  const totals = await t.backend.totals();
  return totals.reduce((sum, listener) => sum + listener.inFlight, 0);
}

/** The result of {@link fillBy}. */
export type Filling = NonNullable<Awaited<ReturnType<typeof fillBy>>>;

/**
 * Fills a router with `limits.maxConcurrent` processors, and its channel if `fillsChannel`. It uses streams, which no
 * deadline has to end, or held-back responses when streams take no processor. Throws `Inconclusive` when the router cannot
 * be filled.
 */
export async function fill(t: RouterContext, fillsChannel: boolean): Promise<Filling> {
  const now = await inFlight(t);
  // A case that waits to go on keeps its places, even if its held requests have met their deadline.
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
  /** Requests that others have at processors: cases of this run (`here`), and other users of the router (`elsewhere`). */
  readonly others: { readonly here: number; readonly elsewhere: number };
}

const NONE: Promise<readonly Waited[]> = Promise.resolve([]);

interface FullChannel {
  readonly further: Exchange | undefined;
  readonly other: Exchange | undefined;
  readonly next: Promise<Exchange> | undefined;
}

const UNSEEN: FullChannel = { further: undefined, other: undefined, next: undefined };

/**
 * One filling; undefined when streams do not keep the request that was to wait from getting a processor. It began at
 * `filledFrom`, with `before` requests of ours in the channel; `refused` were answered before any was released.
 * - `further`, a plain request, met a full channel; undefined when that cannot be seen, or the router reported it full at
 *   once. `other` was sent when `further` was overdue.
 * - `next` met the full channel later than `further`; at `roomAt` some room was made. Undefined when others use the router,
 *   who may take that room.
 * - `waited` waited for a processor and then met a silent engine; undefined when the router was full too early.
 * - `kept` wait until or far beyond their deadline, unless they get a processor before. Empty when the processors cannot
 *   be kept so long, or the router answers nobody.
 * - `stayedBusy`: all processors were busy when the last of them ended. One that came free shortly before shows as idle, since
 *   it went to a request whose deadline had passed.
 */
async function fillBy(t: RouterContext, streams: boolean, { fillsChannel, others }: FillOptions) {
  const { maxConcurrent = 1, queueSize = 0, requestTimeoutMs = Infinity } = t.limits;
  const busy = await t.backend.script([stall(streams ? { afterEvents: 1 } : 'before-head')]);
  const load = loadOf(t, busy, streams);
  const filledFrom = Date.now();
  try {
    // Cases of this run wait for their deadlines, so requests in place of theirs would fill the channel too early.
    // Requests of other processes may end at any time, so some of ours must wait for their processors before the watched
    // one.
    const wanted = maxConcurrent - others.here;
    load.send(wanted);
    const quietMs = await load.arrived(wanted - others.elsewhere);
    const unkept = { kept: NONE, stayedBusy: true };
    if (quietMs === undefined) {
      const refused = [...load.answered()];
      const unseen = { ...UNSEEN, roomAt: filledFrom, waited: undefined };
      return { filledFrom, ...unseen, refused, before: 0, ...unkept };
    }
    // Requests that others keep from a processor wait in the channel already.
    const early = Math.max(0, wanted - (await t.backend.counts(busy)).held);
    // One request for each processor of others, which may come free before the deadline of the kept ones: otherwise the
    // watched request would get it too soon.
    const forOthers = streams ? Math.max(0, others.here + others.elsewhere - early) : 0;
    if (forOthers > 0) {
      const { most, beforeDeadline } = BEHIND_OTHERS_MS;
      await pause(Math.max(0, Math.min(most, requestTimeoutMs - beforeDeadline)), t.signal);
    }
    load.send(forOthers);
    if (forOthers > 0) await pause(quietMs);
    const first = await sendQueued(t);
    // The watched request must be in the channel before others fill it: simultaneous requests overtake each other.
    await pause(quietMs);
    if (streams && (await first.isServed())) {
      await first.letGo();
      return undefined;
    }
    const kept: QueuedRequest[] = [];
    const spare = streams ? forOthers + LET_GO : 0;
    if (streams) {
      load.send(LET_GO);
      await pause(quietMs);
      for (let count = 0; count < KEPT; count += 1) kept.push(await sendQueued(t));
      await pause(quietMs);
    }
    const channel = fillsChannel ? await fillChannel() : UNSEEN;
    const { further, other } = channel;
    const next = others.elsewhere > 0 ? undefined : channel.next;
    if (!fillsChannel) await rest(t, 'processor');
    // A request that met its deadline in the channel made room in it, too.
    const left = [first, ...kept].flatMap(({ left: exchange }) => exchange() ?? []);
    const refused = [...load.answered(), ...left];
    const before = early + 1 + spare + kept.length;
    const roomAt = Date.now();
    const filled = { filledFrom, further, other, next, roomAt, refused, before, waited: first.end };
    if (kept.length === 0 || further === undefined) return { ...filled, ...unkept };
    // The first request gets a processor, and its engine is silent for the rest of its deadline.
    await t.backend.release(busy, LET_GO);
    const isLate = await untilLate(t, kept, requestTimeoutMs);
    const ends = isLate ? underWay(Promise.all(kept.map(({ end }) => end))) : NONE;
    const stayedBusy = (await inFlight(t)) >= maxConcurrent;
    return { ...filled, kept: ends, stayedBusy };
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
    const probe = underWay(load.sendOne(requireFixture(t, 'chat'), false));
    await t.allSent();
    const next = underWay(pause(NEXT_MS, t.signal).then(async () => load.sendOne()));
    const isOverdue = isPendingAfter(t, QUEUE_FULL_SECONDS * 1_000 + OVERDUE_MS, probe);
    // Everything is released if the request is not refused by then, so that nothing hangs.
    const letGo = setTimeout(
      () => void t.backend.release(busy),
      QUEUE_FULL_SECONDS * 1_000 + REFUSAL_MS,
    );
    try {
      const other = (await isOverdue) ? await t.api.models({ unbounded: true }) : undefined;
      return { further: await probe, other, next };
    } finally {
      clearTimeout(letGo);
    }
  }
}

/** Waits until kept requests end or are late. False if the router answers nobody: then waiting requests show nothing. */
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

/** Least milliseconds without another arrival; if none comes for as long as the first took, the processors count as full. */
const MIN_QUIET_MS = 60;

/** Factor on that time when fewer requests arrived than were expected, since some are late on a busy machine. */
const LATECOMERS = 8;

/** Sends requests whose engine follows a script, as streams if asked. */
function loadOf(t: RouterContext, script: string, stream: boolean) {
  const models = chattingModels(t);
  const answers: Exchange[] = [];
  const sent: Promise<unknown>[] = [];
  let failure: unknown;

  /** Sends one to the plain model; the caller handles how it ends. */
  const sendOne = async (model = requireFixture(t, 'chat'), streamed = stream): Promise<Exchange> =>
    t.api.chat(model, { script, unbounded: true, ...(streamed ? { stream: true } : {}) });

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

  /** The responses so far. Throws when a request could not be sent. */
  const answered = (): readonly Exchange[] => {
    if (failure !== undefined) throw failure;
    return answers;
  };

  /**
   * Waits until no more requests arrive at the engine, and returns for how many milliseconds none did; waits longer while
   * fewer than `expected` arrived. Undefined when the router reports its channel full. Throws `Inconclusive` when some
   * requests were answered otherwise.
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
      // All have arrived, so there is nothing to wait for.
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
