/** The two remaining headers: their form on every response, that they go down with use, and do not grow by themselves; and the day of a budget. */

import { remaining } from '../../../schemas/router/response-headers.ts';
import { type Exchange, headerValue, headerValues } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import { endOf } from '../reading.ts';
import { judgedAs } from '../universal.ts';
import type { RouterVerdicts } from '../router/route.ts';

export const remainingHeaders = {
  requests: 'X-RateLimit-Remaining-Requests',
  tokens: 'X-RateLimit-Remaining-Tokens',
} as const;

export type Quota = keyof typeof remainingHeaders;

/** The request bucket of a key, of which each replica of a router has one. */
export interface Buckets {
  readonly perMinute: number;
  readonly replicas: number;
}

/**
 * What remains of a quota by this response; undefined when it does not say so in the promised form, or says it twice,
 * as where a header of an engine stands beside that of the router.
 */
export function remainingOf(exchange: Exchange, quota: Quota): number | undefined {
  const [value, ...more] = linesOf(exchange, quota);
  if (value === undefined || more.length > 0) return undefined;
  return remaining.safeParse(value).success ? Number(value) : undefined;
}

function linesOf(exchange: Exchange, quota: Quota): readonly string[] {
  return headerValues(exchange.response?.headers ?? [], remainingHeaders[quota]);
}

/** Whether none of the responses says, in any form, what remains of a quota: which of them do is open. */
export function showsNothingOf(exchanges: readonly Exchange[], quota: Quota): boolean {
  return exchanges.every((exchange) => linesOf(exchange, quota).length === 0);
}

/** Judges the form of both headers wherever they are (router#headers/remaining-requests and -tokens). */
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

/**
 * Whether the remaining requests of one key grew by more than the bucket refills.
 * Only pairs are compared of which one ended before the other began.
 */
export function remainingRequestsCountDown(
  exchanges: readonly Exchange[],
  { perMinute, replicas }: Buckets,
): Judgement {
  return countDown(exchanges, { quota: 'requests', replicas }, (earlier, later) => {
    const ms = endOf(later) - earlier.startedAt;
    // One more for rounding at either end.
    return (ms / 60_000) * perMinute + 1;
  });
}

/** Answers that tell after the first one, enough for several replicas to show that they count. */
const TELLING = 5;

/**
 * Whether the remaining requests that were told while a bucket was emptied changed at all. `passed` are the answers before
 * the first refusal. Requests that were under way together may all be told what remained after the last of them, and a
 * bucket that fills by `perMinute` requests stays full where answers are slow.
 */
export function remainingRequestsChange(passed: readonly Exchange[], perMinute: number): Judgement {
  // The one that took the last request says so, whatever the others say.
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

/** Answers in a row from which it shows what each of them took. */
const ROW = 4;

/**
 * Whether requests that were served one after the other took one each of their bucket. Several replicas, and what fills
 * in, make the steps uneven, which tells nothing once one is larger than one: only a row in which each took as many, and
 * more than one, is wrong, and one that never fell, though less filled in than the requests to one replica take.
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
  // The first may have left almost one more than it told.
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

/** Whether one request was sent when another had been answered. */
function isAfter(later: Exchange, earlier: Exchange): boolean {
  // Starts are whole milliseconds, durations are not: what looks like less than one is no overlap.
  return endOf(earlier) < later.startedAt + 1;
}

/**
 * Whether the remaining tokens of one key grew. The budget counts what is known at a stage, so a reservation that
 * is given back may raise it: only the same request sent again on the same UTC day is compared.
 */
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

/**
 * Whether fewer tokens remain by the later of two answers, a good part of the budget having been used in between: by the
 * later, by the earlier once it had told, or by both. Vacuous where one of them does not tell.
 */
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

/** An answer, and what remains by it. */
interface Remainder {
  readonly exchange: Exchange;
  readonly left: number;
}

/** Answers that are compared with one another. */
const COMPARED = 400;

/**
 * Whether what remains by some answers grew by more than it can. `growth` says by how much it may from one answer to a
 * later one; undefined where the two cannot be compared. Answers of several replicas, each with a count of its own, may
 * stand in any order: only what more replicas than there may be would explain is wrong.
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
  /** For each answer, those before it that together show the most counts, each of which lies below the next. */
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
    `${remainingHeaders[quota]} grew by more than it can.`,
    { expected: `at most ${values[0]}, and what filled in`, actual: values.join(', then ') },
    ...most.toReversed().map(({ exchange }) => exchange),
  );
}

/** Whether a refusal for a quota that is used up, named `refusal`, says that nothing of it remains. */
export function saysNoneRemain(exchange: Exchange, quota: Quota, refusal: string): Judgement {
  const left = remainingOf(exchange, quota);
  return expectThat(
    left === 0,
    `The refusal of ${refusal} does not say that zero ${quota} remain.`,
    { expected: `${remainingHeaders[quota]}: 0`, actual: left ?? 'no such header' },
    exchange,
  );
}

/** Whether neither of the remaining headers is there. */
export function omitsRemaining(exchange: Exchange): Judgement {
  return together(omits(exchange, 'requests'), omits(exchange, 'tokens'));
}

/** Whether nothing is told of a quota that the key does not have. */
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

/** A Date is cut to whole seconds: half of one is the middle of what it may have been. */
const CUT_MS = 500;

/** Milliseconds by which the clock of an answer is ahead of ours, to a second; undefined where its Date does not tell. */
export function clockAheadMs({ response, startedAt, headMs }: Exchange): number | undefined {
  const serverMs = Date.parse(headerValue(response?.headers ?? [], 'Date') ?? '');
  if (Number.isNaN(serverMs) || headMs === undefined) return undefined;
  return serverMs + CUT_MS - (startedAt + headMs);
}

const DAY_MS = 86_400_000;

/** Milliseconds from a moment, in milliseconds since the epoch, to the end of its UTC day. */
export function untilMidnightMs(epochMs: number): number {
  return DAY_MS - (epochMs % DAY_MS);
}

/** Milliseconds by which the clock of a router may differ from that of its answers, or from ours where they tell none. */
const CLOCKS_MS = 60_000;

/**
 * Whether daily budgets were surely not reset between two moments of ours, in milliseconds since the epoch. The clock is
 * that of an answer, where it tells.
 */
export function isSameBudgetDay(fromMs: number, toMs: number, answer: Exchange): boolean {
  const ahead = clockAheadMs(answer) ?? 0;
  const dayOf = (ms: number): number => Math.floor((ms + ahead) / DAY_MS);
  return dayOf(fromMs - CLOCKS_MS) === dayOf(toMs + CLOCKS_MS);
}
