/** The two remaining headers (their form, their decrease with use, no growth beyond refill), and the day of a budget. */

import { remaining } from '../../../schemas/router/response-headers.ts';
import { type Exchange, headerValue, headerValues, endOf } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import { judgedAs } from '../universal.ts';
import type { RouterVerdicts } from '../router/route.ts';

export const remainingHeaders = {
  requests: 'X-RateLimit-Remaining-Requests',
  tokens: 'X-RateLimit-Remaining-Tokens',
} as const;

export type Quota = keyof typeof remainingHeaders;

/** The request buckets of a key: each replica of a router has one. */
export interface Buckets {
  readonly perMinute: number;
  readonly replicas: number;
}

/** The remaining quota that a response shows; undefined when the header is malformed or repeated, as by an engine's. */
export function remainingOf(exchange: Exchange, quota: Quota): number | undefined {
  const [value, ...more] = linesOf(exchange, quota);
  if (value === undefined || more.length > 0) return undefined;
  return remaining.safeParse(value).success ? Number(value) : undefined;
}

function linesOf(exchange: Exchange, quota: Quota): readonly string[] {
  return headerValues(exchange.response?.headers ?? [], remainingHeaders[quota]);
}

/** Whether no response shows the remaining quota in any form; which responses show it is open. */
export function showsNothingOf(exchanges: readonly Exchange[], quota: Quota): boolean {
  return exchanges.every((exchange) => linesOf(exchange, quota).length === 0);
}

/** Judges the form of both headers wherever they appear (router#headers/remaining-requests and -tokens). */
export function* remainingForm(exchange: Exchange): RouterVerdicts {
  for (const quota of ['requests', 'tokens'] as const) {
    for (const value of linesOf(exchange, quota)) {
      yield judgedAs(
        `router.response-headers.remaining-${quota}-integer`,
        remaining.safeParse(value).success,
        `${remainingHeaders[quota]} is not a whole number of at least zero.`,
        { expected: 'digits alone', actual: value },
        exchange,
      );
      yield judgedAs(
        'router.response-headers.unlimited-not-negative',
        !/^-\s*\d/u.test(value),
        `${remainingHeaders[quota]} is negative.`,
        { expected: 'no header for what is unlimited', actual: value },
        exchange,
      );
    }
  }
}

/** The remaining requests of one key grew by no more than the refill. Compares only exchanges that do not overlap. */
export function remainingRequestsCountDown(
  exchanges: readonly Exchange[],
  { perMinute, replicas }: Buckets,
): Judgement {
  return countDown(exchanges, { quota: 'requests', replicas }, (earlier, later) => {
    const ms = endOf(later) - earlier.startedAt;
    // One more, for rounding at either end.
    return (ms / 60_000) * perMinute + 1;
  });
}

/** Fewest responses after the first one: enough for several replicas to show that they count. */
const TELLING = 5;

/**
 * The remaining requests changed while a bucket was emptied. `passed` are the responses before the first refusal.
 * Concurrent requests may all show what remained after the last of them, and a bucket that refills by `perMinute` stays
 * full when responses are slow.
 */
export function remainingRequestsChange(passed: readonly Exchange[], perMinute: number): Judgement {
  // The exchange that takes the last request of a bucket shows 0, whatever the others show.
  const counted = passed.filter((exchange) => (remainingOf(exchange, 'requests') ?? 0) > 0);
  const [first] = counted;
  const [last] = passed.slice(-1);
  if (first === undefined || last === undefined) return notObserved;
  const before = remainingOf(first, 'requests') ?? 0;
  const later = counted.filter((exchange) => isAfter(exchange, first));
  if (before < 2 || later.length < TELLING) return notObserved;
  const filledIn = ((endOf(last) - first.startedAt) / 60_000) * perMinute;
  if (filledIn > counted.length / 2) return notObserved;
  return expectThat(
    counted.some((exchange) => remainingOf(exchange, 'requests') !== before),
    `${remainingHeaders.requests} stayed the same while the bucket was emptied.`,
    {
      expected: `less than ${before} in the end`,
      actual: `${before} in ${counted.length} answers`,
    },
    last,
  );
}

/** Fewest consecutive steps that show how much each request took. */
const ROW = 4;

/**
 * Consecutive requests took one each from their bucket. Several replicas and refill make the steps uneven, and then a step
 * above one is not judged. A violation is a row in which every step is the same and above one, or a row that never fell
 * although less refilled than the requests to one replica take.
 */
export function eachTookOne(row: readonly Exchange[], { perMinute, replicas }: Buckets): Judgement {
  const remainders = row.flatMap((exchange) => remainingOf(exchange, 'requests') ?? []);
  const steps = remainders.slice(1).map((left, at) => (remainders[at] ?? left) - left);
  const [step = 0] = steps;
  if (remainders.length < row.length || steps.length < ROW) return notObserved;
  const isEven = steps.every((other) => other === step);
  if (!isEven && Math.max(...steps) > 1) return notObserved;
  const [first, last] = [row[0], row.at(-1)];
  const ms = first === undefined || last === undefined ? 0 : endOf(last) - first.startedAt;
  const isFree = steps.every((other) => other <= 0);
  // The first request may have left almost one more than it showed.
  if (isFree && (ms / 60_000) * perMinute > Math.ceil(row.length / replicas) - 2)
    return notObserved;
  return expectThat(
    step <= 1 && !isFree,
    isFree
      ? `${remainingHeaders.requests} did not fall with requests that were served.`
      : `${remainingHeaders.requests} fell by more than one with each request.`,
    { expected: '1 with each', actual: remainders.join(', ') },
    ...row,
  );
}

/** Whether one request was sent after another had been answered. */
function isAfter(later: Exchange, earlier: Exchange): boolean {
  return endOf(earlier) <= later.startedAt;
}

/** The remaining tokens of one key did not grow. Compares equal requests of one day, since reservations are returned. */
export function remainingTokensCountDown(
  exchanges: readonly Exchange[],
  replicas: number,
): Judgement {
  return countDown(exchanges, { quota: 'tokens', replicas }, (earlier, later) => {
    const comparable =
      Buffer.compare(earlier.request.body, later.request.body) === 0 &&
      earlier.request.path === later.request.path &&
      earlier.response?.status === later.response?.status &&
      isSameBudgetDay(earlier.startedAt, endOf(later), later);
    return comparable ? 0 : undefined;
  });
}

/** The remaining tokens fell between two responses, between which a good part of the budget was used. */
export function remainingTokensFell(earlier: Exchange, later: Exchange): Judgement {
  const [before, after] = [remainingOf(earlier, 'tokens'), remainingOf(later, 'tokens')];
  if (before === undefined || after === undefined) return notObserved;
  return expectThat(
    after < before,
    `${remainingHeaders.tokens} did not go down though a part of the budget was used.`,
    { expected: `less than ${before}`, actual: after },
    later,
    earlier,
  );
}

interface Remainder {
  readonly exchange: Exchange;
  readonly left: number;
}

const COMPARED = 400;

/**
 * The remaining quota did not grow by more than it can. `growth` says by how much it may grow between two responses;
 * undefined when they cannot be compared. Replicas keep separate counts and answer in any order, so only growth that needs
 * more than `replicas` counts is a violation.
 */
function countDown(
  exchanges: readonly Exchange[],
  { quota, replicas }: { readonly quota: Quota; readonly replicas: number },
  growth: (earlier: Exchange, later: Exchange) => number | undefined,
): Judgement {
  const counted = exchanges
    .map((exchange) => ({ exchange, left: remainingOf(exchange, quota) }))
    .filter((answer): answer is Remainder => answer.left !== undefined)
    .slice(0, COMPARED);
  let seen = 0;
  /** For each response, the longest chain of earlier ones that ends with it, each count above the one before by too much. */
  const rising: (readonly Remainder[])[] = [];
  for (const [at, later] of counted.entries()) {
    let longest: readonly Remainder[] = [];
    for (const [before, earlier] of counted.slice(0, at).entries()) {
      const isComparable = isAfter(later.exchange, earlier.exchange);
      const allowed = isComparable ? growth(earlier.exchange, later.exchange) : undefined;
      if (allowed === undefined) continue;
      if (before === at - 1) seen += 1;
      const chain = rising[before] ?? [];
      if (later.left > earlier.left + allowed && chain.length > longest.length) longest = chain;
    }
    rising.push([...longest, later]);
  }
  const [most = []] = rising.toSorted((one, other) => other.length - one.length);
  if (most.length <= replicas) return pass(seen);
  const values = most.map(({ left }) => left);
  return violated(
    `${remainingHeaders[quota]} grew by more than its quota can refill.`,
    { expected: `at most ${values[0]}, and what filled in`, actual: values.join(', then ') },
    ...most.toReversed().map(({ exchange }) => exchange),
  );
}

/** The refusal of a used-up quota, named `refusal`, says that nothing remains. */
export function saysNoneRemain(exchange: Exchange, quota: Quota, refusal: string): Judgement {
  const left = remainingOf(exchange, quota);
  return expectThat(
    left === 0,
    `The refusal of ${refusal} does not say that zero ${quota} remain.`,
    { expected: `${remainingHeaders[quota]}: 0`, actual: left ?? 'no such header' },
    exchange,
  );
}

/** Neither of the remaining headers is present. */
export function omitsRemaining(exchange: Exchange): Judgement {
  return together(omits(exchange, 'requests'), omits(exchange, 'tokens'));
}

/** The response shows no remaining quota that the key does not have. */
export function omits(exchange: Exchange, quota: Quota): Judgement {
  const { response } = exchange;
  if (response === undefined) return notObserved;
  const value = headerValue(response.headers, remainingHeaders[quota]);
  return expectThat(
    value === undefined,
    `A key without a quota of ${quota} got ${remainingHeaders[quota]}.`,
    { expected: 'no such header', actual: value },
    exchange,
  );
}

/** A Date is truncated to whole seconds: half a second is added for the middle of the possible range. */
const CUT_MS = 500;

/** Milliseconds by which the server's clock is ahead of ours, to a second; undefined without a valid Date. */
export function clockAheadMs({ response, startedAt, headMs }: Exchange): number | undefined {
  const serverMs = Date.parse(headerValue(response?.headers ?? [], 'Date') ?? '');
  if (Number.isNaN(serverMs) || headMs === undefined) return undefined;
  return serverMs + CUT_MS - (startedAt + headMs);
}

const DAY_MS = 86_400_000;

/** Milliseconds from a time, in milliseconds since the epoch, to the end of its UTC day. */
export function untilMidnightMs(epochMs: number): number {
  return DAY_MS - (epochMs % DAY_MS);
}

/** Milliseconds by which the router's own clock may differ from its Date headers, or from ours without them. */
const CLOCKS_MS = 60_000;

/** Whether daily budgets were surely not reset between two times of ours (epoch milliseconds), by the server's clock. */
export function isSameBudgetDay(fromMs: number, toMs: number, answer: Exchange): boolean {
  const ahead = clockAheadMs(answer) ?? 0;
  const dayOf = (ms: number): number => Math.floor((ms + ahead) / DAY_MS);
  return dayOf(fromMs - CLOCKS_MS) === dayOf(toMs + CLOCKS_MS);
}
