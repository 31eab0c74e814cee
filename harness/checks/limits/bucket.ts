/** The request bucket of a key: the refusal when it is empty, and how it refills (router#rate-limit-rules/1). */

import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, together } from '../judgement.ts';
import { codeOf, hasCode } from '../router/envelope.ts';
import { retryAfterOf } from '../router/headers.ts';
import { expectOutcome, mayBeTooLarge, outcomeText } from '../router/outcome.ts';
import {
  type Buckets,
  remainingOf,
  remainingRequestsChange,
  remainingRequestsCountDown,
  saysNoneRemain,
} from './quota.ts';

/** True for a refusal because of the rate of requests or tokens. */
export const isRateLimited = hasCode('rate_limit_exceeded');

const isBeyondWindow = hasCode('context_length_exceeded');

/**
 * The key was refused for its rate; `exchange` is the last of `sent` requests in a row. One that is too large for the router
 * or for the window of its engine tells nothing.
 */
export function becameLimited(exchange: Exchange, sent: number): Judgement {
  if (mayBeTooLarge(exchange) || isBeyondWindow(exchange)) return notObserved;
  const message = `A key was never refused in ${sent} requests, far more than its quota.`;
  return expectOutcome(exchange, isRateLimited(exchange), message, 'rate_limit_exceeded');
}

/** The refusal of an empty bucket says that no requests remain. */
export function saysNoRequestsRemain(exchange: Exchange): Judgement {
  return isRateLimited(exchange)
    ? saysNoneRemain(exchange, 'requests', 'an empty request bucket')
    : notObserved;
}

/** How many requests surely empty the buckets of all replicas, if a bucket holds two minutes of requests at most. */
export function mostInBuckets({ perMinute, replicas }: Buckets): number {
  return 2 * replicas * perMinute + 20;
}

/**
 * Requests that may pass after the first refusal: those that were in flight beside it and, with several replicas, those
 * left in the other buckets. Replicas need not be asked in turn, and a failed request may take nothing.
 */
const LEFT_OVER = 3;
const LEFT_OVER_EACH = 6;

/** How many requests may pass at most in `ms` milliseconds after the bucket was empty. */
export function mostRefilled(ms: number, { perMinute, replicas }: Buckets): number {
  const left = replicas > 1 ? LEFT_OVER_EACH : LEFT_OVER;
  return Math.ceil(replicas * ((ms / 60_000) * perMinute + left));
}

/** No more requests were served in `ms` milliseconds than refill; judged only when a full minute's quota would exceed that. */
function withinRefill(
  served: number,
  ms: number,
  buckets: Buckets,
  message: string,
  ...exchanges: readonly Exchange[]
): Judgement {
  const most = mostRefilled(ms, buckets);
  if (most >= buckets.perMinute) return notObserved;
  return expectThat(
    served <= most,
    message,
    { expected: `at most ${most} in ${Math.round(ms)} ms`, actual: `${served} requests` },
    ...exchanges,
  );
}

/**
 * Requests of another kind found the bucket empty, as the refusal `before` says that it was. `served` of them succeeded up
 * to the `last` one. Only successes count, since other requests need not cost anything.
 */
export function foundEmpty(
  before: Exchange,
  { last, served }: { readonly last: Exchange; readonly served: number },
  bucket: Buckets,
): Judgement {
  if (!isRateLimited(before)) return notObserved;
  const message =
    'Requests of another kind were served although the bucket of their key was empty.';
  return withinRefill(served, endOf(last) - before.startedAt, bucket, message, last, before);
}

/** Milliseconds over which refill is counted, and the part at the end that buckets with ticks may not have added. */
export const FILLING_MS = 5_000;
export const TICK_MS = 1_250;
/** A larger refill is not worth its requests. */
const MAX_FILLED = 40;

/**
 * How many requests an empty bucket must gain in `ms` milliseconds. Undefined when the count is not conclusive: half of the
 * rate would give as many, they are too many, or the bucket, which passed `burst` requests at once, may not hold so many on
 * each replica.
 */
export function leastFilled(
  { perMinute, replicas }: Buckets,
  burst: number,
  ms: number,
): number | undefined {
  const least = Math.floor(((ms - TICK_MS) / 60_000) * perMinute);
  const half = (ms / 120_000) * perMinute;
  if (least < half + 1 || least > MAX_FILLED || burst < replicas * least) return undefined;
  return least;
}

/** As many requests passed as must have refilled; `last` is the one that was refused, or the last that passed. */
export function fillsAtItsRate(
  last: Exchange,
  passed: number,
  { least, ms }: { readonly least: number; readonly ms: number },
): Judgement {
  if (last.response === undefined) return notObserved;
  return expectThat(
    passed >= least,
    'The request bucket fills more slowly than the limit of the key says.',
    { expected: `at least ${least} requests pass after ${Math.round(ms)} ms`, actual: passed },
    last,
  );
}

/** No more requests were served up to `last` than refill in `ms` milliseconds after the bucket was empty. */
export function fillsNoFaster(
  last: Exchange,
  served: number,
  { ms, ...buckets }: Buckets & { readonly ms: number },
): Judgement {
  const message = 'The request bucket fills faster than the limit of the key says.';
  return withinRefill(served, ms, buckets, message, last);
}

/** Another key is served while one is refused. */
export function notLimited(exchange: Exchange): Judgement {
  const message = 'A key was refused for the rate of another.';
  const expected = 'anything but rate_limit_exceeded';
  return expectOutcome(exchange, !isRateLimited(exchange), message, expected);
}

/** True when the refusal may be for an undeclared model: it neither says that nothing remains nor has Retry-After. */
export function isUndeclared(exchange: Exchange): boolean {
  return (
    isRateLimited(exchange) &&
    remainingOf(exchange, 'requests') !== 0 &&
    retryAfterOf(exchange) === undefined
  );
}

/** A model with a declared quota is not treated as undeclared. A used-up quota is not judged. (rate-limit-rules/3) */
export function isNotUndeclared(exchange: Exchange): Judgement {
  if (exchange.response === undefined) return notObserved;
  const isForeign = codeOf(exchange) === 'model_forbidden' || isUndeclared(exchange);
  if (!isForeign && exchange.response.status >= 300) return notObserved;
  const message = 'A model that the quotas of a key declare is refused as one that they do not.';
  return expectOutcome(exchange, !isForeign, message, 'a success');
}

/** The remaining count went down in the responses while a bucket was emptied, and never grew faster than the refill. */
export function remainingWhileEmptied(answers: readonly Exchange[], bucket: Buckets): Judgement {
  const passed = answers.filter((exchange) => !isRateLimited(exchange));
  return together(
    remainingRequestsChange(passed, bucket.perMinute),
    remainingRequestsCountDown(answers, bucket),
  );
}

interface WaitedFor {
  readonly exchange: Exchange;
  readonly waitedMs: number;
}

/**
 * How an empty bucket refilled: two requests that were each waited for, those that were served right after them, and
 * earlier ones that each left a little more time to the next than one request takes to refill.
 */
interface Refilled {
  readonly ones: readonly [WaitedFor, WaitedFor];
  readonly paced: readonly Exchange[];
  readonly after: { readonly last: Exchange; readonly served: number };
  /** Milliseconds from the empty bucket to the last request. */
  readonly ms: number;
}

/** Each of the two requests passed in the time in which one request refills, and so did all that kept that pace. */
export function refilledContinuously(
  { ones, paced }: Pick<Refilled, 'ones' | 'paced'>,
  { perMinute }: Buckets,
): Judgement {
  const answered = ones.filter(({ exchange }) => exchange.response !== undefined);
  const message = 'The request bucket ran empty, though requests came no faster than it fills.';
  return together(
    ...paced.map((one) =>
      expectOutcome(one, !isRateLimited(one), message, 'a request that passes'),
    ),
    ...answered.map(({ exchange, waitedMs }) =>
      expectThat(
        !isRateLimited(exchange),
        'The request bucket did not fill in the time that one request takes.',
        {
          expected: `a request passes ${Math.ceil(60_000 / perMinute)} ms after the bucket was empty`,
          actual: `${outcomeText(exchange)} after ${Math.round(waitedMs)} ms`,
        },
        exchange,
      ),
    ),
  );
}

/** About as many requests passed as refilled, and not a whole minute's quota. */
export function refilledGradually({ ones, after, ms }: Refilled, buckets: Buckets): Judgement {
  if (isRateLimited(ones[1].exchange)) return notObserved;
  const message = 'Far more requests passed than filled in since the bucket was empty.';
  return withinRefill(after.served + ones.length, ms, buckets, message, after.last);
}

/** Quotas per minute whose refill rate can be measured with short waits and few requests. */
export function isRateMeasurable(perMinute: number): boolean {
  return perMinute >= 90 && perMinute <= 600;
}
