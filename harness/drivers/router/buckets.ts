/** The request bucket of a key: emptied, and seen to fill again. */

import { type Judgement, together } from '../../checks/judgement.ts';
import { type Buckets, eachTookOne, remainingOf } from '../../checks/limits/quota.ts';
import {
  FILLING_MS,
  fillsAtItsRate,
  fillsNoFaster,
  isRateLimited,
  leastFilled,
  mostInBuckets,
  mostRefilled,
} from '../../checks/limits/bucket.ts';
import { isSuccess } from '../../checks/router/outcome.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Experiment, Inconclusive, NotExercised } from '../../runner/case.ts';
import type { InferenceOptions } from './api.ts';
import { FEW_TOKENS } from './client-routes.ts';
import type { RouterContext } from './session.ts';
import { replicasOf, requireKey } from './fixtures.ts';
import { untilRefused } from './provoke.ts';

const CODE = 'rate_limit_exceeded';

const AT_ONCE = 8;

/** The key that may be spent, and its bucket at each replica. */
export interface KeyBucket extends Buckets {
  readonly as: string;
  /** Requests after which it is empty, and as many more: some fill in meanwhile, and what is no success need not cost. */
  readonly most: number;
}

/** Share of all requests of a run that may go into emptying a bucket. */
const SHARE_OF_BUDGET = 0.2;

/** Throws `NotExercised` without such a key, and where its bucket takes too much of the budget of requests. */
export function bucketOf(t: Pick<RouterContext, 'target' | 'limits'>): KeyBucket {
  const key = requireKey(t, 'requestsPerMinute');
  const buckets = { perMinute: key.limit, replicas: replicasOf(t) };
  const { requests } = t.target.budget;
  if (buckets.perMinute * buckets.replicas > SHARE_OF_BUDGET * requests) {
    throw new NotExercised(
      `to empty a bucket of ${buckets.perMinute} requests takes too many of ${requests}`,
      `budget: { requests: ${Math.ceil((buckets.perMinute * buckets.replicas) / SHARE_OF_BUDGET)} }`,
    );
  }
  return { as: key.key, ...buckets, most: mostInBuckets(buckets) + key.limit };
}

/** Sends one small request of the key. */
export async function ask(t: RouterContext, options: InferenceOptions = {}): Promise<Exchange> {
  const { as } = bucketOf(t);
  return t.api.chat(await t.anyModel(), { maxTokens: FEW_TOKENS, urgent: true, ...options, as });
}

/**
 * Sends requests of the key until its bucket is empty: all answers, and how many the buckets gave at once. Throws
 * `Inconclusive` where a key was not refused because as much filled in as was taken, the target being slow, or because too
 * few requests were served, which alone cost quota for sure.
 */
export async function emptied(t: RouterContext, send: () => Promise<Exchange>, atOnce: number) {
  const buckets = bucketOf(t);
  const answers: Exchange[] = [];
  const sendOne = async () => {
    const answer = await send();
    answers.push(answer);
    return answer;
  };
  const from = performance.now();
  const empty = await untilRefused(sendOne, { code: CODE, most: buckets.most, atOnce });
  const { last, passed, served, sent } = empty;
  const filledIn = ((performance.now() - from) / 60_000) * buckets.perMinute;
  // A last answer that is no success may be the refusal, by a wrong code: then whatever was sent counts.
  const taken = isSuccess(last) ? served : sent;
  if (!isRateLimited(last) && taken < mostInBuckets(buckets) + buckets.replicas * filledIn) {
    throw new Inconclusive(
      `${taken} of ${sent} requests took from the bucket, and ${Math.round(filledIn)} filled in meanwhile`,
    );
  }
  return { empty, answers, burst: passed - buckets.replicas * filledIn };
}

/** Milliseconds that a lone timer or a slow target may add. */
const SLACK_MS = 250;

/** Requests that were refused before one is waited for, where the bucket was emptied one after the other last. */
const REFUSED = 2;

/** Waits for the bucket to give one request, and then for as long as the `refused` ones may have cost, where those do, too. */
async function oneRefilled(t: RouterContext, emptyAt: number, refused: number) {
  const { perMinute } = bucketOf(t);
  const costMs = (times: number): number => (times * 1.2 * 60_000) / perMinute + SLACK_MS;
  await pause(costMs(1), t.signal);
  let exchange = await ask(t);
  // What is judged is how fast the bucket fills: a slow machine must not wait for longer.
  for (const times of [refused, 1]) {
    if (!isRateLimited(exchange)) break;
    await pause(costMs(times), t.signal);
    exchange = await ask(t);
  }
  return { exchange, waitedMs: performance.now() - emptyAt };
}

/** Rounds in which what filled in is counted: where refused requests cost quota too, one only makes up for them. */
const FILLINGS = 3;

/**
 * Whether a bucket that has just become empty fills at the rate of the limit; undefined where that cannot be told.
 * `burst` is how many requests it gave at once. Ends with the bucket empty.
 */
async function filledAtItsRate(t: RouterContext, burst: number): Promise<Judgement | undefined> {
  const buckets = bucketOf(t);
  if (leastFilled(buckets, burst, FILLING_MS) === undefined) return undefined;
  let wasWrong = false;
  for (let round = 0; round < FILLINGS; round += 1) {
    const from = performance.now();
    const wait = async () => pause(FILLING_MS, t.signal);
    // The first wait overlaps with whoever is alone, however long that takes.
    await (round === 0 ? t.yieldTarget(wait) : wait());
    const ms = performance.now() - from;
    const least = leastFilled(buckets, burst, ms);
    let judgement: Judgement | undefined;
    let served = 0;
    if (least !== undefined) {
      const filled = await untilRefused(async () => ask(t), { code: CODE, most: least });
      judgement = fillsAtItsRate(filled.last, filled.passed, { least, ms });
      served = filled.served;
    }
    // One after the other, so that no more than one is refused.
    const { empty } = await emptied(t, async () => ask(t), 1);
    if (judgement === undefined) continue;
    // More replicas than are known of explain more.
    if (t.limits.replicas !== undefined) {
      const within = { ...buckets, ms: performance.now() - from };
      judgement = together(judgement, fillsNoFaster(empty.last, served + empty.served, within));
    }
    // Wrong once is not enough: refused requests may have cost quota.
    if (judgement.violations.length === 0 || wasWrong) return judgement;
    wasWrong = true;
  }
  return undefined;
}

/** Empties the bucket of the key, waits, and counts what has filled in: once for all cases. */
export const bucketEmptied = new Experiment(async (t: RouterContext) => {
  const cost = together(await tookOneEach(t, false), await tookOneEach(t, true));
  const invalidCost = await costOfInvalid(t);
  const seen = await emptied(t, async () => ask(t), AT_ONCE);
  const refill = isRateLimited(seen.empty.last) ? await refilled(t, seen.burst) : undefined;
  return { ...seen, cost, costOfInvalid: invalidCost, refill };
});

/**
 * How an empty bucket fills: whether at its rate, as far as the limit tells; two requests that were waited for, with nothing
 * left over after the first; and what passed right after them, `ms` milliseconds after the bucket was empty.
 */
async function refilled(t: RouterContext, burst: number) {
  const rate = await filledAtItsRate(t, burst);
  const emptyAt = performance.now();
  const refused = rate === undefined ? AT_ONCE : REFUSED;
  const first = await oneRefilled(t, emptyAt, refused);
  // The first refusal may have met a bucket that was almost due; after one that passed nothing is left over.
  const one = isRateLimited(first.exchange) ? first : await oneRefilled(t, emptyAt, refused);
  // Enough to see a whole minute come back at once, without spending it.
  const most = mostRefilled(one.waitedMs + 5_000, bucketOf(t)) + 1;
  const after = await untilRefused(async () => ask(t), { code: CODE, most, atOnce: AT_ONCE });
  return { rate, ones: [first, one] as const, after, ms: performance.now() - emptyAt };
}

/** Requests in a row, enough to tell what each takes. */
const ROW = 6;

/** Rows that are tried: what fills in between two requests spoils one. */
const ROWS = 3;

/** Whether requests in a row, all streams or none, took one each, of the first row that tells. */
async function tookOneEach(t: RouterContext, stream: boolean): Promise<Judgement> {
  for (let left = ROWS; ; left -= 1) {
    const sent: Exchange[] = [];
    while (sent.length < ROW) sent.push(await ask(t, { stream }));
    const row = sent.every(isSuccess) ? sent : [];
    const judgement = eachTookOne(row, bucketOf(t));
    const isCounted = row.some((exchange) => remainingOf(exchange, 'requests') !== undefined);
    if (judgement.seen > 0 || !isCounted || left === 1) return judgement;
  }
}

/** How many requests invalid ones take from the bucket, as far as the header tells. */
async function costOfInvalid(t: RouterContext): Promise<string> {
  const before = await ask(t);
  const invalid = async () => ask(t, { extra: { model: undefined } });
  await Promise.all(Array.from({ length: 5 }, invalid));
  const after = await ask(t);
  const [first, last] = [remainingOf(before, 'requests'), remainingOf(after, 'requests')];
  if (first === undefined || last === undefined) return 'no header tells';
  return `the header fell from ${first} to ${last} over five invalid requests and one valid one`;
}
