/** The request bucket of a key: what an empty one says, and how it fills again (router#rate-limit-rules/1). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, together } from '../judgement.ts';
import { endOf } from '../reading.ts';
import { codeOf, hasCode } from '../router/envelope.ts';
import { retryAfterOf } from '../router/headers.ts';
import { expectOutcome, outcomeText } from '../router/outcome.ts';
import {
  type Buckets,
  remainingOf,
  remainingRequestsChange,
  remainingRequestsCountDown,
  saysNoneRemain,
} from './quota.ts';

/** True for a refusal for the rate of requests or tokens. */
export const isRateLimited = hasCode('rate_limit_exceeded');

/** Whether a key was refused for its rate at all; `exchange` is the last of `sent` requests in a row. */
export function becameLimited(exchange: Exchange, sent: number): Judgement {
  const message = `A key was never refused in ${sent} requests, far more than its quota.`;
  return expectOutcome(exchange, isRateLimited(exchange), message, 'rate_limit_exceeded');
}

/** Whether the refusal of an empty bucket says that nothing remains. */
export function saysNoRequestsRemain(exchange: Exchange): Judgement {
  return isRateLimited(exchange)
    ? saysNoneRemain(exchange, 'requests', 'an empty request bucket')
    : notObserved;
}

/** How many requests empty the buckets of all replicas for sure, whatever they give at once: two minutes at most. */
export function mostInBuckets({ perMinute, replicas }: Buckets): number {
  return 2 * replicas * perMinute + 20;
}

/**
 * Requests that were under way beside the refused one; of several replicas each may have more left when the first one refuses,
 * as they need not be asked in turn, and a request that fails takes nothing.
 */
const LEFT_OVER = 3;
const LEFT_OVER_EACH = 6;

/** How many requests may pass in `ms` milliseconds after an empty bucket, at most. */
export function mostRefilled(ms: number, { perMinute, replicas }: Buckets): number {
  const left = replicas > 1 ? LEFT_OVER_EACH : LEFT_OVER;
  return Math.ceil(replicas * ((ms / 60_000) * perMinute + left));
}

/** Whether no more were served in `ms` milliseconds than fill in; judged only where a whole minute of requests would be more. */
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
 * Whether requests of another kind found a bucket as empty as `before`, a refusal, says that it was: how many were `served` up
 * to the `last` one. What is no success need not cost anything.
 */
export function foundEmpty(
  before: Exchange,
  { last, served }: { readonly last: Exchange; readonly served: number },
  bucket: Buckets,
): Judgement {
  if (!isRateLimited(before)) return notObserved;
  const message =
    'Requests of another kind were served that the empty bucket of their key does not give.';
  return withinRefill(served, endOf(last) - before.startedAt, bucket, message, last, before);
}

/** Milliseconds after which is counted what filled in, and the last of them that may not count: some fill by ticks. */
export const FILLING_MS = 5_000;
const TICK_MS = 1_250;
/** More are not worth their requests. */
const MAX_FILLED = 40;

/**
 * How many requests an empty bucket must have got in `ms` milliseconds; undefined where that tells nothing: half of the
 * rate would give as many, they are too many, or the bucket, of which `burst` requests passed at once, may not hold so
 * many on each replica.
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

/** Whether so many requests passed as must have filled in; `last` is the one that was refused, or the last that passed. */
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

/** Whether no more of them were served than fill in, up to the `last` one, in `ms` milliseconds after an empty bucket. */
export function fillsNoFaster(
  last: Exchange,
  served: number,
  { ms, ...buckets }: Buckets & { readonly ms: number },
): Judgement {
  const message = 'The request bucket fills faster than the limit of the key says.';
  return withinRefill(served, ms, buckets, message, last);
}

/** Whether another key is served while one is refused. */
export function notLimited(exchange: Exchange): Judgement {
  const message = 'A key was refused for the rate of another.';
  const expected = 'anything but rate_limit_exceeded';
  return expectOutcome(exchange, !isRateLimited(exchange), message, expected);
}

/**
 * True for what may be the refusal of a model for which the key declares no quota: an empty bucket says that nothing
 * remains, and a serverless policy when to come again.
 */
export function isUndeclared(exchange: Exchange): boolean {
  return (
    isRateLimited(exchange) &&
    remainingOf(exchange, 'requests') !== 0 &&
    retryAfterOf(exchange) === undefined
  );
}

/**
 * Whether a model that the quotas of a key list is taken for one that they do not (rate-limit-rules/3). A quota that is
 * used up says so in its headers, and shows nothing.
 */
export function isNotUndeclared(exchange: Exchange): Judgement {
  if (exchange.response === undefined) return notObserved;
  const isForeign = codeOf(exchange) === 'model_forbidden' || isUndeclared(exchange);
  if (!isForeign && exchange.response.status >= 300) return notObserved;
  const message = 'A model that the quotas of a key declare is refused as one that they do not.';
  return expectOutcome(exchange, !isForeign, message, 'a success');
}

/** Whether what remains went down, by the answers that came while a bucket was emptied, and never grew by more than it can. */
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

/** How an empty bucket filled again: two requests that were waited for, and those that were served right after them. */
interface Refilled {
  readonly ones: readonly [WaitedFor, WaitedFor];
  readonly after: { readonly last: Exchange; readonly served: number };
  /** Milliseconds from the empty bucket to the last of them. */
  readonly ms: number;
}

/** Whether each of the two passed in the time that one request takes to fill in. */
export function refilledContinuously(
  { ones }: Pick<Refilled, 'ones'>,
  { perMinute }: Buckets,
): Judgement {
  const answered = ones.filter(({ exchange }) => exchange.response !== undefined);
  return together(
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

/** Whether about as many passed after them as filled in, and not a whole minute of requests. */
export function refilledGradually({ ones, after, ms }: Refilled, buckets: Buckets): Judgement {
  if (isRateLimited(ones[1].exchange)) return notObserved;
  const message = 'Far more requests passed than filled in since the bucket was empty.';
  return withinRefill(after.served + ones.length, ms, buckets, message, after.last);
}

/** Quotas a minute of which it can be told how fast they fill, while waiting is short and few are sent. */
export function isRateMeasurable(perMinute: number): boolean {
  return perMinute >= 90 && perMinute <= 600;
}
