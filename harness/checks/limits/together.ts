/** Simultaneous requests, more or fewer than a model takes (router#limits/occupancy). */

import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import { codeOf, hasCode } from '../router/envelope.ts';
import { isChatStream } from '../router/event-stream.ts';
import { acceptableFinalCodes, endedWith, outcomeText, servedUnless } from '../router/outcome.ts';
import { isRateLimited } from './bucket.ts';
import { isOverCap } from './budget.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';

const CODE = 'concurrency_limit_exceeded';

/** True for a refusal because a model is at its limit. */
export const isOverConcurrency = hasCode(CODE);

/** Simultaneous requests within a limit all reached the engine; `early` are those that got a response instead. */
export function allAtOnce(early: readonly Exchange[], count: number): Judgement {
  const refused = early.find(isOverConcurrency);
  if (refused !== undefined) {
    return violated(
      'Simultaneous requests within the limit of their model were not all served.',
      { expected: `${count} served side by side`, actual: outcomeText(refused) },
      refused,
    );
  }
  // A request that failed for another reason shows nothing about the limit.
  return early.length > 0 ? notObserved : pass(count);
}

/**
 * Of requests far beyond a budget, some were refused while the engine held others. `early` are those that got a response.
 * When the engine holds none, each request alone may be too large. The key exceeds no rate limit, so a rate refusal is
 * wrong. `misnamed` is a refusal that is known to be wrong: for a capacity that small requests find, or as too long while
 * the engine holds others of that size. Other refusals are not judged.
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

/** Messages for an engine that sees more requests at once than a model takes, by the code of a full model. */
const TOO_MANY = {
  no_capacity: 'The engine saw more requests at once than its agent has slots.',
  concurrency_limit_exceeded:
    'The engine saw more requests at once than its model takes in flight.',
} as const;

/** The engine never saw more requests at once than the model takes. */
export function withinPlaces(
  peak: number,
  { capacity, full }: { readonly capacity: number; readonly full: keyof typeof TOO_MANY },
  ...shown: readonly Exchange[]
): Judgement {
  if (peak === 0) return notObserved;
  return expectThat(
    peak <= capacity,
    TOO_MANY[full],
    { expected: `at most ${capacity}`, actual: peak },
    ...shown,
  );
}

/** A request that waited for a place was served when one became free. */
export const servedWhenFree = servedUnless(
  isOverConcurrency,
  'A parked request was refused though a place came free in time.',
);

/** Slots do not count as full while no engine works. */
export const freeWhenIdle = servedUnless(
  hasCode('no_capacity'),
  'A request is refused because every slot is taken, while no engine works on anything.',
);

/** Places in flight do not count as taken while no engine works. */
export const placesFreeWhenIdle = servedUnless(
  isOverConcurrency,
  'A request is refused because every place in flight is taken, while no engine works on anything.',
);

/** A request gets a processor while no engine works. */
export const reachesWhenIdle = servedUnless(
  hasCode('request_timeout', 'queue_full'),
  'A request waits for a processor in vain, while no engine works on anything.',
);

/** A model under its shedding threshold is not shed (limits/shed). */
export const notShed = servedUnless(
  isOverConcurrency,
  'A model under its shedding threshold is shed.',
);

/** Share of the park time before which a refusal is too early: clocks and timers are not exact. */
const PARKED_SHARE = 0.8;

/**
 * A request that found its model full was refused only after the park time. `fullFrom` is the earliest time at which the
 * model can have been full, in milliseconds since the epoch. It may be the limit that must stay full for the park time, and
 * not the request that must wait.
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

/** A request that was sent while every place of its model was taken, and its hits at the engine. */
export interface BeyondPlaces {
  readonly exchange: Exchange;
  readonly hits: number;
  /** False where the route or the key may be refused the model for another reason. */
  readonly native: boolean;
}

/**
 * The request was refused because every place was taken. With a deadline of up to twice the park time, it may also end at
 * its deadline. A stream that the router began while the request was parked cannot show how it ended.
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

/** A request beyond the slots of an agent was refused for them. A stream that began while it waited is not judged. */
export function refusedForSlots(exchange: Exchange): Judgement {
  return isChatStream(exchange)
    ? notObserved
    : endedWith(exchange, acceptableFinalCodes('slots-full'));
}

/** One request at the engine; times in milliseconds. */
export interface HitSpan {
  readonly at: number;
  /** Null while the request is in progress. */
  readonly endedAt: number | null;
  /** `left`: the sender closed the connection. */
  readonly end: 'open' | 'answered' | 'dropped' | 'left';
}

/**
 * Milliseconds that an engine may take to notice that a sender left. On a busy machine the router may have given the place
 * to another request long before. A request that was admitted too early stays much longer than that.
 */
const LEAVING_MS = 150;

/** The most requests in progress at one time; the last moments of a request whose sender left do not count. */
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
 * The same while all of the first `count` requests are in progress. Once one of them ends, at `endsAt` at the earliest (in
 * milliseconds since the epoch), another request may have its place although its engine still works.
 */
export function mostBesideAll(hits: readonly HitSpan[], count: number, endsAt: number): number {
  const isBeside = ({ at }: HitSpan): boolean => at < endsAt - LEAVING_MS;
  const inOrder = hits.toSorted((one, other) => one.at - other.at);
  return mostAtOnce(inOrder.filter((hit, index) => index < count || isBeside(hit)));
}

/** Milliseconds within which an idle router answers. A refusal that comes later after the response is no accident. */
const PROMPT_MS = 250;

/** Milliseconds of grace before a refusal is overdue: a router may poll for requests that are due. */
const DUE_SLACK_MS = 1_000;

/**
 * A refusal with `code`, due after `dueMs`, did not come long after the response to an `other` request that was sent when
 * the refusal was already overdue. A router that answers `other` promptly is not too busy for its timers.
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
