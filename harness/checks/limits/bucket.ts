/** Laws of a request bucket that was emptied and fills again (router#rate-limit-rules/1). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved, together } from '../judgement.ts';
import {
  type Buckets,
  remainingRequestsChange,
  remainingRequestsCountDown,
} from '../router/remaining-quota.ts';
import {
  isRateLimited,
  passesAgain,
  refilledGradually as passedGradually,
} from '../router/request-bucket.ts';

/** Whether what remains went down, by the answers that came while a bucket was emptied, and never grew by more than it can. */
export function remainingWhileEmptied(answers: readonly Exchange[], bucket: Buckets): Judgement {
  const passed = answers.filter((exchange) => !isRateLimited(exchange));
  return together(
    remainingRequestsChange(passed, bucket.perMinute),
    remainingRequestsCountDown(answers, bucket),
  );
}

/** How an empty bucket filled again: two requests that were waited for, and those that passed right after them. */
interface Refilled {
  readonly ones: readonly [WaitedFor, WaitedFor];
  readonly after: { readonly last: Exchange; readonly passed: number };
  /** Milliseconds from the empty bucket to the last of them. */
  readonly ms: number;
}

interface WaitedFor {
  readonly exchange: Exchange;
  readonly waitedMs: number;
}

/** Whether each of the two passed in the time that one request takes to fill in. */
export function refilledContinuously(
  { ones }: Pick<Refilled, 'ones'>,
  { perMinute }: Buckets,
): Judgement {
  return together(
    ...ones.map(({ exchange, waitedMs }) => passesAgain(exchange, waitedMs, perMinute)),
  );
}

/** Whether about as many passed after them as filled in, and not a whole minute of requests. */
export function refilledGradually({ ones, after, ms }: Refilled, bucket: Buckets): Judgement {
  if (isRateLimited(ones[1].exchange)) return notObserved;
  return passedGradually(after.last, after.passed + ones.length, ms, bucket);
}

/** Quotas a minute of which it can be told how fast they fill, while waiting is short and few are sent. */
const TELLING_RATES = { least: 90, most: 600 };

export function tellsItsRate(perMinute: number): boolean {
  return perMinute >= TELLING_RATES.least && perMinute <= TELLING_RATES.most;
}
