/** Requests that park for a limit of their model: refused once their park time has passed, or let in. */

import { complete } from '../../backend/behaviour.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { refusedOnceParked, servedWhenFree } from '../../checks/limits/together.ts';
import { isSuccess } from '../../checks/router/outcome.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { InferenceOptions } from './api.ts';
import { whileHeld } from './hold.ts';
import type { ProvokeOptions } from './provoke.ts';
import type { RouterContext } from './session.ts';
import { NotExercised } from '../../runner/case.ts';
import { eventually, isPendingAfter, retry, underWay } from '../../runner/retry.ts';

/** A limit for which requests park; `capacity` requests fill it. */
export interface ParkingLimit {
  readonly model: string;
  readonly capacity: number;
  /** What each request asks for, which gives it its weight. */
  readonly request?: InferenceOptions;
  /** Kinds of requests that park alike, the plain one first. */
  readonly shapes: readonly ParkingShape[];
}

type ParkingShape = Pick<ProvokeOptions, 'route' | 'stream'>;

/** A function that sends a request of a kind, with the weight that the limit needs. */
function sender(t: RouterContext, { model, request, shapes: [plain] }: ParkingLimit) {
  return async (script: string, shape = plain) =>
    t.api.infer(shape?.route ?? 'chat', model, {
      ...request,
      script,
      stream: shape?.stream ?? false,
      unbounded: true,
    });
}

/** Whether requests beyond a full limit are refused before their park time has passed: one judgement for each kind. */
async function refusals(
  t: RouterContext,
  limit: ParkingLimit,
  shapes: readonly ParkingShape[],
): Promise<readonly Judgement[]> {
  const parkMs = parkTimeFor(t, 'be refused too early');
  const send = sender(t, limit);
  let fullFrom = Infinity;
  const fill = {
    count: limit.capacity,
    send: async (script: string) => {
      fullFrom = Math.min(fullFrom, Date.now());
      return send(script);
    },
  };
  return whileHeld(t, fill, async ({ early }) => {
    if (early.length > 0) return shapes.map(() => notObserved);
    const script = await t.backend.script([complete()]);
    const ended = await Promise.all(shapes.map(async (shape) => send(script, shape)));
    return ended.map((exchange) => refusedOnceParked(exchange, { parkMs, fullFrom }));
  });
}

/** Whether no request beyond a full limit is refused before its park time has passed. */
export async function refusedInTime(t: RouterContext, limit: ParkingLimit): Promise<Judgement> {
  // They park together, which takes no longer than one does. If the plain one shows nothing, nothing was full.
  const sideBySide = await retry(
    t,
    'parksAgain',
    async () => refusals(t, limit, limit.shapes),
    ([plain = notObserved]) => plain.seen > 0,
  );
  const judgements: Judgement[] = [];
  for (const [at, judgement] of sideBySide.entries()) {
    // Places that others just left may have kept the limit full once; a real violation repeats for each kind alone.
    const alone = limit.shapes.slice(at, at + 1);
    const attempt = async () => together(...(await refusals(t, limit, alone)));
    judgements.push(
      judgement.violations.length > 0 ? await eventually(t, 'twiceMore', attempt) : judgement,
    );
  }
  return together(...judgements);
}

/** Whether a parked request is served when a place comes free; not observed when that was too late. */
export async function servedOnceFree(t: RouterContext, limit: ParkingLimit): Promise<Judgement> {
  const parkMs = parkTimeFor(t, 'free a place');
  const send = sender(t, limit);
  const fill = { count: limit.capacity, send: async (script: string) => send(script) };
  const servedAtOnce = async (script: string): Promise<boolean> => {
    const exchange = await send(script);
    return isSuccess(exchange) && exchange.durationMs <= parkMs / 4;
  };
  const park = async (): Promise<Judgement> =>
    whileHeld(t, fill, async ({ early, release, answers }) => {
      if (early.length > 0) return notObserved;
      const script = await t.backend.script([complete()]);
      const parked = underWay(send(script));
      await t.allSent();
      const from = performance.now();
      await pause(Math.min(parkMs / 4, 1_000), t.signal);
      const { hits } = await t.backend.counts(script);
      await release();
      // An answered request holds nothing any more.
      await answers;
      const freedAfterMs = performance.now() - from;
      const exchange = await parked;
      if (hits > 0) return notObserved;
      // A request that was served is right at any time; only a refusal may be due to the end of its park time.
      if (isSuccess(exchange)) return servedWhenFree(exchange);
      // One that comes late, as on a busy machine, tells nothing of the moment when it was due.
      if (freedAfterMs > 0.75 * parkMs || exchange.durationMs > 3 * parkMs) return notObserved;
      // A router may give a place back some time after the answer, and only then serves the next request. It does so at once
      // if two requests in a row find a place: the second needs that of the first.
      const isFree = (await servedAtOnce(script)) && (await servedAtOnce(script));
      return isFree ? servedWhenFree(exchange) : notObserved;
    });
  // On an overloaded machine a place may come free too late once, but not each time.
  return retry(t, 'parksAgain', park, ({ seen }) => seen > 0);
}

/** The shortest park time, in milliseconds, in which the suite can free a place or a client can leave. */
const MIN_PARK_MS = 100;

/** The park time of the target file, in milliseconds. Throws `NotExercised` when it is too short to do `what` in it. */
export function parkTimeFor(t: Pick<RouterContext, 'limits'>, what: string): number {
  const { parkTimeoutMs = 0 } = t.limits;
  if (parkTimeoutMs >= MIN_PARK_MS) return parkTimeoutMs;
  throw new NotExercised(
    `a park time of ${parkTimeoutMs} ms is too short to ${what}`,
    'limits: { parkTimeoutMs: 250 }',
  );
}

/** Milliseconds beyond twice the park time after which a slow router, and a prompt one, must have refused. */
const SLACK_MS = 3_000;
const PROMPT_SLACK_MS = 1_000;
/** Milliseconds before the deadline in which requests that take the places may end. */
const BEFORE_DEADLINE_MS = 1_500;

/** The result when no request is known to be parked for too long. */
const IN_TIME = { isOverdue: false, other: undefined };

/**
 * Whether requests beyond a limit are still unanswered long after the park time, while `isFull` holds. `other` was sent
 * before that, when they should have been answered. Nothing is reported when the target file does not state the park time,
 * or when the deadline may come first.
 */
export async function parksTooLong(
  t: Pick<RouterContext, 'api' | 'limits' | 'signal' | 'allSent'>,
  answers: Promise<unknown>,
  isFull: () => Promise<boolean>,
): Promise<{ readonly isOverdue: boolean; readonly other: Exchange | undefined }> {
  const { parkTimeoutMs, requestTimeoutMs = Infinity } = t.limits;
  if (parkTimeoutMs === undefined) return IN_TIME;
  const ms = 2 * parkTimeoutMs + SLACK_MS;
  if (ms > requestTimeoutMs - BEFORE_DEADLINE_MS) return IN_TIME;
  await t.allSent();
  if (!(await isPendingAfter(t, 2 * parkTimeoutMs + PROMPT_SLACK_MS, answers))) return IN_TIME;
  const other = await t.api.models({ unbounded: true });
  const isPending = await isPendingAfter(t, SLACK_MS - PROMPT_SLACK_MS, answers);
  return { isOverdue: isPending && (await isFull()), other };
}
