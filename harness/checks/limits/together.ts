/** What becomes of requests that come at once, more or fewer than a model takes (router#limits/occupancy). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import { endOf } from '../reading.ts';
import { codeOf, hasCode } from '../router/envelope.ts';
import { isChatStream } from '../router/event-stream.ts';
import { acceptableFinalCodes, endedWith, outcomeText, servedUnless } from '../router/outcome.ts';
import { isRateLimited } from './bucket.ts';
import { isOverCap } from './budget.ts';
import { TOLERANCE_MS } from './deadline.ts';
import { QUEUE_FULL_SECONDS } from '../../../schemas/router/admission.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';

const CODE = 'concurrency_limit_exceeded';

/** True for a refusal because a model has enough to do. */
export const isOverConcurrency = hasCode(CODE);

/** Whether simultaneous requests within a limit all reached the engine; `early` are those that were answered instead. */
export function allAtOnce(early: readonly Exchange[], count: number): Judgement {
  const refused = early.find(isOverConcurrency);
  if (refused !== undefined) {
    return violated(
      'Simultaneous requests within the limit of their model were not all served.',
      { expected: `${count} served side by side`, actual: outcomeText(refused) },
      refused,
    );
  }
  // One that failed for another reason shows nothing of the limit.
  return early.length > 0 ? notObserved : pass(count);
}

/**
 * Whether of requests far beyond a budget some were refused while the engine held others. `early` are those that were
 * answered. Where none is held, each alone may be too large. Their key is over no rate. A refusal for other room is wrong
 * where small requests find it, and one as too long where others of its size are held: `misnamed` is such a one. Any
 * other refusal shows nothing.
 */
export function someRefused(
  early: readonly Exchange[],
  atEngine: number,
  misnamed?: Exchange,
): Judgement {
  const refused = early.filter(isOverConcurrency).length;
  if (atEngine === 0) return notObserved;
  if (refused > 0) return pass(refused);
  const wrong = early.find(isRateLimited) ?? misnamed;
  if (wrong !== undefined) {
    const otherwise = isOverCap(wrong)
      ? 'as too long beside others of their size'
      : `for ${isRateLimited(wrong) ? 'a rate of their key' : 'room that small ones find'}`;
    return violated(
      `Requests beyond the budget of their model were refused ${otherwise}.`,
      { expected: CODE, actual: outcomeText(wrong) },
      wrong,
    );
  }
  if (early.length > 0) return notObserved;
  return violated('Requests far beyond the budget of their model were all admitted at once.', {
    expected: `${CODE} for some of them`,
    actual: `none was refused of ${atEngine}`,
  });
}

/** How an engine that sees more than a model takes at once shows it, by the code of a full model. */
const TOO_MANY = {
  no_capacity: 'The engine saw more requests at once than its agent has slots.',
  concurrency_limit_exceeded:
    'The engine saw more requests at once than its model takes in flight.',
} as const;

/** Whether an engine never saw more requests at once than a model takes. */
export function withinPlaces(
  peak: number,
  { capacity, full }: { readonly capacity: number; readonly full: keyof typeof TOO_MANY },
  shown: Exchange,
): Judgement {
  if (peak === 0) return notObserved;
  return expectThat(
    peak <= capacity,
    TOO_MANY[full],
    { expected: `at most ${capacity}`, actual: peak },
    shown,
  );
}

/** Whether a request that waited for a place was served when one came free. */
export const servedWhenFree = servedUnless(
  isOverConcurrency,
  'A parked request was refused though a place came free in time.',
);

/** Whether slots pass for full while no engine works. */
export const freeWhenIdle = servedUnless(
  hasCode('no_capacity'),
  'A request is refused because every slot is taken, while no engine works on anything.',
);

/** Whether places in flight pass for taken while no engine works. */
export const placesFreeWhenIdle = servedUnless(
  isOverConcurrency,
  'A request is refused because every place in flight is taken, while no engine works on anything.',
);

/** Whether a request waits for a processor in vain while no engine works. */
export const reachesWhenIdle = servedUnless(
  hasCode('request_timeout', 'queue_full'),
  'A request waits for a processor in vain, while no engine works on anything.',
);

/** Whether a model under its shedding threshold is shed (limits/shed). */
export const notShed = servedUnless(
  isOverConcurrency,
  'A model under its shedding threshold is shed.',
);

/** The part of a park time after which a refusal is not too early: clocks and timers are not exact. */
const PARKED_SHARE = 0.8;

/**
 * Whether a request that found its model full was refused for that after the park time only. `fullFrom` is when the
 * model can have been full at the earliest, in milliseconds since the epoch: it may be the limit that must have stayed full
 * for so long, and not the request that must have waited.
 */
export function refusedOnceParked(
  exchange: Exchange,
  { parkMs, fullFrom }: { readonly parkMs: number; readonly fullFrom: number },
): Judgement {
  if (!isOverConcurrency(exchange)) return notObserved;
  const leastMs = PARKED_SHARE * parkMs;
  if (exchange.durationMs >= leastMs) return pass();
  const fullForMs = endOf(exchange) - fullFrom;
  if (fullForMs >= leastMs) return notObserved;
  return violated(
    'A request was refused for a limit that had not stayed full for its park time.',
    {
      expected: `${CODE} after ${parkMs} ms`,
      actual: `${outcomeText(exchange)} after ${Math.round(exchange.durationMs)} ms, ${Math.round(fullForMs)} ms after the model was full`,
    },
    exchange,
  );
}

/** A request that was sent while every place of its model was taken, and the hits that came of it. */
export interface BeyondPlaces {
  readonly exchange: Exchange;
  readonly hits: number;
  /** False where the route or the key may be refused the model for itself. */
  readonly native: boolean;
}

/**
 * Whether a request was refused because every place was taken. One whose deadline is no later than its park time may end
 * there; a stream that the router began while it parked, and no engine saw, cannot tell how it ended.
 */
export function refusedForPlaces(
  { exchange, hits, native }: BeyondPlaces,
  {
    parkTimeoutMs = 0,
    requestTimeoutMs = Infinity,
  }: {
    readonly parkTimeoutMs?: number | undefined;
    readonly requestTimeoutMs?: number | undefined;
  },
): Judgement {
  const begun = hits === 0 && isChatStream(exchange);
  const parkedToEnd =
    parkTimeoutMs >= requestTimeoutMs / 2 && codeOf(exchange) === 'request_timeout';
  return !native || begun || parkedToEnd ? notObserved : endedWith(exchange, [CODE]);
}

/** Whether a request beyond the slots of an agent was refused for that. A stream that began while it waited tells nothing. */
export function refusedForSlots(exchange: Exchange): Judgement {
  return isChatStream(exchange)
    ? notObserved
    : endedWith(exchange, acceptableFinalCodes('slots-full'));
}

/** What is known of one request at the engine; times in milliseconds. */
export interface HitSpan {
  readonly at: number;
  /** Null while it is under way. */
  readonly endedAt: number | null;
  /** `left`: the sender closed the connection. */
  readonly end: 'open' | 'answered' | 'dropped' | 'left';
}

/**
 * An engine learns late that a sender left, on a busy machine long after the router has given the place to another
 * request. A request that was let in too soon is there much longer than that.
 */
const LEAVING_MS = 150;

/** The most requests that were under way at one moment; those of the last moments of one that was left do not count. */
export function mostAtOnce(hits: readonly HitSpan[]): number {
  const spans = hits.map(({ at, endedAt, end }) => ({
    from: at,
    to: (endedAt ?? Infinity) - (end === 'left' ? LEAVING_MS : 0),
  }));
  const besides = spans.map(
    ({ from }) => spans.filter((other) => other.from <= from && other.to > from).length,
  );
  return Math.max(0, ...besides);
}

/**
 * The same while all of the first `count` were there: once one of them has ended, at `endsAt` in milliseconds since the epoch
 * at the earliest, its place may be another's, though its engine still works on it.
 */
export function mostBesideAll(hits: readonly HitSpan[], count: number, endsAt: number): number {
  const isBeside = ({ at }: HitSpan): boolean => at < endsAt - LEAVING_MS;
  const inOrder = hits.toSorted((one, other) => one.at - other.at);
  return mostAtOnce(inOrder.filter((hit, index) => index < count || isBeside(hit)));
}

/**
 * Whether no queue_full came before the channel can have been full for five seconds. `filledFrom`: when the first
 * request left that could fill it, in milliseconds since the epoch. Other codes show nothing.
 */
export function waitedFiveSeconds(exchanges: readonly Exchange[], filledFrom: number): Judgement {
  const full = exchanges.filter(hasCode('queue_full'));
  return together(
    ...full.map((exchange) => {
      const ms = endOf(exchange) - filledFrom;
      return expectThat(
        ms >= QUEUE_FULL_SECONDS * 1_000 - TOLERANCE_MS,
        'A queue_full came before the pending channel was full for five seconds.',
        {
          expected: `not before ${QUEUE_FULL_SECONDS} s after the first request`,
          actual: `after ${Math.round(ms)} ms`,
        },
        exchange,
      );
    }),
  );
}

/** Milliseconds in which a router that has time answers, and by which a refusal after that answer is later than any chance. */
const PROMPT_MS = 250;

/** Milliseconds after which a refusal is overdue: a router may look for those that are due now and then. */
const DUE_SLACK_MS = 1_000;

/**
 * Whether a refusal with `code` did not come only after the answer to an `other` request that was sent when it was overdue,
 * `dueMs` having long passed since the first: a router that answers promptly then has its timers in time.
 */
export function notOverdue(
  refused: Exchange,
  other: Exchange | undefined,
  { code, dueMs }: { readonly code: RouterCode; readonly dueMs: number },
): Judgement {
  if (codeOf(refused) !== code || other?.ending !== 'complete') return notObserved;
  const wasDue = other.startedAt - refused.startedAt > dueMs + DUE_SLACK_MS;
  if (!wasDue || other.durationMs >= PROMPT_MS) return notObserved;
  return expectThat(
    endOf(refused) - endOf(other) <= PROMPT_MS,
    'A refusal came long after it was due, while the router answered others.',
    { expected: `${code} after ${dueMs} ms`, actual: `after ${Math.round(refused.durationMs)} ms` },
    refused,
  );
}

/** The part of a channel by which a count of it may be off: a router may hold some requests elsewhere. */
const INEXACT = 1 / 4;

/**
 * Whether a channel of `size` held so many requests, as far as the refusals tell of a router that was full: at most
 * `most` were beyond what it takes. Other codes than queue_full show nothing.
 */
export function channelHeld(
  exchanges: readonly Exchange[],
  { most, size }: { readonly most: number; readonly size: number },
): Judgement {
  const [shown, ...others] = exchanges.filter(hasCode('queue_full'));
  if (shown === undefined) return notObserved;
  const missing = others.length + 1 - most;
  return expectThat(
    missing <= Math.max(1, Math.floor(size * INEXACT)),
    'The pending channel called itself full before it held as many requests as it takes.',
    { expected: `${size} requests in it`, actual: `about ${Math.max(0, size - missing)}` },
    shown,
  );
}
