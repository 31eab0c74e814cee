/** Requests that are held at the engine: what they take of the router stays taken until they are released. */

import { type Behaviour, stall } from '../../backend/behaviour.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { pause } from '../../exchange/budget.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import type { RouterContext } from './session.ts';
import { WaitTimedOut } from '../../backend/control.ts';
import { limitMs, rest, retry, underWay } from '../../runner/retry.ts';
import { type WaitName, waits } from '../../runner/waits.ts';
import { requireFixture } from './fixtures.ts';
import { requireTogether } from './pace.ts';
import { mayReachLater, onceReturned } from './ejection.ts';

export interface Holding {
  readonly script: string;
  /** Requests that were answered although the engine released none, usually refused by the router. */
  readonly early: readonly Exchange[];
  /** Releases all requests, also future ones, or the next `count`. */
  readonly release: (count?: number) => Promise<void>;
  /** All responses in the order of sending, once the last has come. */
  readonly answers: Promise<readonly Exchange[]>;
}

export interface HoldOptions {
  readonly count: number;
  /** Continues after so many responses, even if other requests are neither held nor answered (parked, as a rule). */
  readonly enough?: number;
  /** How many of them go beyond what there is room for: once all others are held, these have a moment to be let in. */
  readonly beyond?: number;
  /** Continues after so many milliseconds, even if some requests are neither held nor answered. */
  readonly patienceMs?: number;
  /** When a request counts as arrived: once the engine holds it (default), or once the engine was asked. */
  readonly arrivedOnce?: 'held' | 'asked';
  /** What the engine does (default: it waits before the head of an ordinary response). */
  readonly behaviours?: readonly Behaviour[];
  /** A model that all requests must fill; throws `Inconclusive` when one of them found no place. */
  readonly full?: string;
  /** The model that gets plain chat requests (default: `full`, or the plain one). */
  readonly model?: string;
  /** Sends one request instead, which must be exempt from the concurrency limit of the run. */
  readonly send?: (script: string, index: number) => Promise<Exchange>;
}

type Holder = Pick<
  RouterContext,
  'api' | 'backend' | 'models' | 'signal' | 'sharedPlaces' | 'yieldTarget' | 'target' | 'allSent'
>;

/**
 * Sends requests at once and calls `during` when each is held by the engine or answered. In the end all are released and
 * awaited, whatever `during` does. Throws `Inconclusive` when some are neither held nor answered for long, and
 * `NotExercised` when the router's concurrency is too low.
 */
export async function whileHeld<T>(
  t: Holder,
  options: HoldOptions,
  during: (holding: Holding) => Promise<T>,
): Promise<T> {
  const { full } = options;
  if (full === undefined) return heldOnce(t, options, during);
  // A router may give places back slightly after their response, and other users may come and go.
  const attempt = async () =>
    heldOnce(t, options, async (holding) =>
      holding.early.length > 0 ? undefined : { result: await during(holding) },
    );
  const filled = await retry(t, 'placesTaken', attempt, (one) => one !== undefined);
  if (filled === undefined) throw new Inconclusive(`the places of ${full} could not be filled`);
  return filled.result;
}

async function heldOnce<T>(
  t: Holder,
  options: HoldOptions,
  during: (holding: Holding) => Promise<T>,
): Promise<T> {
  requireTogether(t, options.count);
  const modelOf = () => options.model ?? options.full ?? requireFixture(t, 'chat');
  const plain = async (script: string) => t.api.chat(modelOf(), { script, unbounded: true });
  const { send = plain } = options;
  const leave = await placesFor(t, options.count - (options.beyond ?? 0));
  try {
    const script = await t.backend.script(options.behaviours ?? [stall()]);
    const early: Exchange[] = [];
    const sent = Array.from({ length: options.count }, async (_, index) => {
      const exchange = await send(script, index);
      early.push(exchange);
      return exchange;
    });
    const answers = underWay(Promise.all(sent));
    try {
      await settled(t, script, options, { early, failed: underWay(failureOf(answers)) });
      const release = async (next?: number) => t.backend.release(script, next);
      return await during({ script, early: [...early], release, answers });
    } finally {
      await t.backend.release(script);
      await Promise.allSettled(sent);
    }
  } finally {
    leave();
  }
}

/** Rejects like `answers`, and never resolves. */
async function failureOf(answers: Promise<unknown>): Promise<never> {
  await answers;
  return new Promise(() => {});
}

/** Takes places for held requests. Yields the target meanwhile: a case with places may be waiting for the target. */
async function placesFor(
  { sharedPlaces, yieldTarget }: Holder,
  count: number,
): Promise<() => void> {
  if (count <= sharedPlaces.mostHeld) {
    return sharedPlaces.tryHold(count) ?? yieldTarget(async () => sharedPlaces.hold(count));
  }
  throw new NotExercised(
    `${count} requests are to be held at once and others sent meanwhile, but the router works on ${sharedPlaces.mostHeld + 1}`,
    `limits: { maxConcurrent: ${count + 1} }`,
  );
}

async function settled(
  t: Holder,
  script: string,
  { count, enough = count, beyond = 0, patienceMs = Infinity, arrivedOnce = 'held' }: HoldOptions,
  { early, failed }: { readonly early: readonly Exchange[]; readonly failed: Promise<never> },
): Promise<void> {
  await t.allSent();
  const from = performance.now();
  let fullFrom = Infinity;
  for (;;) {
    const counts = await t.backend.counts(script);
    const atEngine = arrivedOnce === 'held' ? counts.held : counts.hits;
    if (atEngine + early.length >= count || early.length >= enough) return;
    const sinceMs = performance.now() - from;
    if (atEngine >= count - beyond) fullFrom = Math.min(fullFrom, performance.now());
    if (sinceMs > patienceMs || performance.now() - fullFrom > limitMs('letIn')) return;
    // Some may be parked, as beyond the token budget of their model.
    if (sinceMs > limitMs('arrives') + (t.target.limits?.parkTimeoutMs ?? 0)) {
      throw new Inconclusive(
        `of ${count} requests ${atEngine} reached the engine and ${early.length} were answered; the others have been on their way for ${Math.round(sinceMs)} ms`,
      );
    }
    await Promise.race([pause(waits.arrives.pollMs[0], t.signal), failed]);
  }
}

/** Counts response heads with `onHead`; `begun` resolves once `count` have come or the wait is over. */
export function headsSeen(count: number, wait: WaitName = 'headsSeen') {
  let seen = 0;
  let resolveAll: () => void = () => {};
  const all = new Promise<void>((resolve) => (resolveAll = resolve));
  return {
    onHead: () => {
      seen += 1;
      if (seen === count) resolveAll();
      return undefined;
    },
    begun: async (signal: AbortSignal): Promise<void> =>
      Promise.race([all, rest({ signal }, wait)]),
  };
}

/** Hits of a script, awaited briefly beyond `before`: a router may refuse a request and still forward it. */
export async function hitsOfRefused(
  t: Pick<RouterContext, 'backend' | 'signal'>,
  script: string,
  before = 0,
): Promise<number> {
  try {
    const options = { timeoutMs: limitMs('hitOfRefused'), signal: t.signal };
    return (await t.backend.waitFor(script, { hits: before + 1 }, options)).hits;
  } catch (error) {
    if (error instanceof WaitTimedOut) return error.counts.hits;
    throw error;
  }
}

/** The end of a request that waited for a processor. */
export interface Waited {
  readonly exchange: Exchange;
  /** Milliseconds until its engine was asked, or until its end. */
  readonly waitedMs: number;
}

export type QueuedRequest = Awaited<ReturnType<typeof sendQueued>>;

/** Sends a request at `sentAt`, in milliseconds since the epoch; it counts as served once its engine was asked. */
export async function sendQueued(t: RouterContext) {
  const script = await t.backend.script([stall()]);
  const asked = underWay(t.api.chat(requireFixture(t, 'chat'), { script, unbounded: true }));
  await t.allSent();
  const sentAt = Date.now();
  let left: Exchange | undefined;
  const end = async (): Promise<Waited> => {
    const exchange = await asked;
    left = exchange;
    const [hit] = await t.backend.hits(script);
    await t.backend.release(script);
    const until = hit?.at ?? exchange.startedAt + exchange.durationMs;
    return { exchange, waitedMs: until - exchange.startedAt };
  };
  return {
    sentAt,
    isServed: async () => (await t.backend.counts(script)).hits > 0,
    letGo: async () => t.backend.release(script),
    left: () => left,
    end: underWay(end()),
  };
}

/** Whether a stream reaches the client before its engine has answered. A request that no engine sees does not show it. */
export async function beginsStreams(
  { api, backend, session, signal }: Pick<RouterContext, 'api' | 'backend' | 'session' | 'signal'>,
  model: string,
): Promise<boolean> {
  const send = async () => {
    const script = await backend.script([stall()]);
    let began = false;
    // The wait is long: otherwise a slow router would be blamed for a stream that began before its engine failed.
    const heads = headsSeen(1, 'streamHeldBack');
    const onHead = (status: number) => {
      began = status < 300;
      return heads.onHead();
    };
    const asking = underWay(api.chat(model, { script, stream: true, maxTokens: 4, onHead }));
    await heads.begun(signal);
    const before = began;
    await backend.release(script);
    const exchange = await asking;
    return { exchange, before, hits: (await backend.counts(script)).hits };
  };
  const options = { model, isEjected: mayReachLater, signal };
  const { before, hits } = await onceReturned(session, send, options);
  if (before || hits > 0) return before;
  throw new Inconclusive(`no engine saw a stream of ${model} that could begin early`);
}
