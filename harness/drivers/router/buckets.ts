/** The request bucket of a key: emptied, and watched as it refills. */

import { sendAtOnce } from '../../runner/retry.ts';
import { complete } from '../../backend/behaviour.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { type Buckets, eachTookOne, remainingOf } from '../../checks/limits/quota.ts';
import {
  FILLING_MS,
  fillsAtItsRate,
  fillsNoFaster,
  isRateLimited,
  leastFilled,
  mostInBuckets,
  mostRefilled,
  TICK_MS,
} from '../../checks/limits/bucket.ts';
import { isSuccess } from '../../checks/router/outcome.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Experiment, Inconclusive, NotExercised, isUnseen } from '../../runner/case.ts';
import type { InferenceOptions } from './api.ts';
import { FEW_TOKENS } from './client-routes.ts';
import type { RouterContext } from './session.ts';
import { replicasOf, requireFixture, requireKey, requireTries } from './fixtures.ts';
import { provoke, untilRefused } from './provoke.ts';
import { unavailable } from './ejection.ts';

const CODE = 'rate_limit_exceeded';

const AT_ONCE = 8;

/** The key whose bucket may be emptied, and its bucket at each replica. */
export interface KeyBucket extends Buckets {
  readonly as: string;
  /** Most requests to send: the bucket's contents, and one more limit for refills and failures that cost nothing. */
  readonly most: number;
}

/** Share of the run's requests that may go into emptying a bucket. */
const SHARE_OF_BUDGET = 0.2;

/** Throws `NotExercised` without such a key, and when its bucket takes too much of the budget of requests. */
export function bucketOf(t: Pick<RouterContext, 'target' | 'limits'>): KeyBucket {
  const key = requireKey(t, 'requestsPerMinute');
  const buckets = { perMinute: key.limit, replicas: replicasOf(t) };
  const { requests } = t.target.budget;
  if (buckets.perMinute * buckets.replicas > SHARE_OF_BUDGET * requests) {
    throw new NotExercised(
      `emptying a bucket of ${buckets.perMinute} requests takes too much of the budget of ${requests}`,
      `budget: { requests: ${Math.ceil((buckets.perMinute * buckets.replicas) / SHARE_OF_BUDGET)} }`,
    );
  }
  return { as: key.key, ...buckets, most: mostInBuckets(buckets) + key.limit };
}

/** Sends one small request with the key. */
export async function ask(t: RouterContext, options: InferenceOptions = {}): Promise<Exchange> {
  const { as } = bucketOf(t);
  return t.api.chat(await t.anyModel(), { maxTokens: FEW_TOKENS, urgent: true, ...options, as });
}

/**
 * Sends requests with the key until its bucket is empty. Returns all responses, and how many the buckets gave at once.
 * Throws `Inconclusive` when the key was not refused because the bucket refilled on a slow target, or because too few
 * requests were served: only a success certainly costs quota.
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
  // A last response that is no success may be the refusal, with a wrong code; then every request counts.
  const taken = isSuccess(last) ? served : sent;
  if (!isRateLimited(last) && taken < mostInBuckets(buckets) + buckets.replicas * filledIn) {
    throw new Inconclusive(
      `${taken} of ${sent} requests took from the bucket, and it refilled by ${Math.round(filledIn)} meanwhile`,
    );
  }
  return { empty, answers, burst: passed - buckets.replicas * filledIn };
}

/** Milliseconds that a timer or a slow target may add. */
const SLACK_MS = 250;

/** Requests that were refused before the awaited one, when the bucket was last emptied one request at a time. */
const REFUSED = 2;

/** Waits until one request refills, and then for as long as the `refused` ones may have cost, in case those cost quota. */
async function oneRefilled(t: RouterContext, emptyAt: number, refused: number) {
  const { perMinute } = bucketOf(t);
  const costMs = (times: number): number => (times * 1.2 * 60_000) / perMinute + SLACK_MS;
  await pause(costMs(1), t.signal);
  let exchange = await ask(t);
  // The refill rate is judged, so a slow machine must not wait longer.
  for (const times of [refused, 1]) {
    if (!isRateLimited(exchange)) break;
    await pause(costMs(times), t.signal);
    exchange = await ask(t);
  }
  return { exchange, waitedMs: performance.now() - emptyAt };
}

/** Rounds in which the refill is counted. If refused requests cost quota, one round only makes up for them. */
const FILLINGS = 3;

/** Whether an emptied bucket, which gave `burst` at once, refills at its rate; undefined when unclear. Leaves it empty. */
async function filledAtItsRate(t: RouterContext, burst: number): Promise<Judgement | undefined> {
  const buckets = bucketOf(t);
  if (leastFilled(buckets, burst, FILLING_MS) === undefined) return undefined;
  let wasWrong = false;
  for (let round = 0; round < FILLINGS; round += 1) {
    const from = performance.now();
    const wait = async () => pause(FILLING_MS, t.signal);
    // Cases that need the target alone may run during the first wait, however long they take.
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
    // One at a time, so that no more than one is refused.
    const { empty } = await emptied(t, async () => ask(t), 1);
    if (judgement === undefined) continue;
    // Without a stated number of replicas, more replicas would explain a faster refill.
    if (t.limits.replicas !== undefined) {
      const within = { ...buckets, ms: performance.now() - from };
      judgement = together(judgement, fillsNoFaster(empty.last, served + empty.served, within));
    }
    // One violation is not enough: refused requests may have cost quota.
    if (judgement.violations.length === 0 || wasWrong) return judgement;
    wasWrong = true;
  }
  return undefined;
}

/** Empties the bucket of the key, waits, and counts the refill; once for all cases. */
export const bucketEmptied = new Experiment(async (t: RouterContext) => {
  const plain = await tookOneEach(t, async () => ask(t));
  const cost = together(
    plain,
    await tookOneEach(t, async () => ask(t, { stream: true })),
    await tookOneEach(t, async () => askTwoAgents(t)).catch(orUnseen),
  );
  const invalidCost = await costOfInvalid(t);
  const seen = await emptied(t, async () => ask(t), AT_ONCE);
  const refill = isRateLimited(seen.empty.last) ? await refilled(t, seen.burst, plain) : undefined;
  return { ...seen, cost, costOfInvalid: invalidCost, refill };
});

/**
 * Watches an empty bucket: `rate` judges whether it refills at its rate, as far as that can be told; `paced` are requests at
 * an even pace, sent in a thorough run where that rate is right; `ones` are two awaited requests, after the first of which
 * nothing is left; `after` is what passed right after them, `ms` milliseconds after the bucket was empty. Requests whose
 * `cost` is not one each do not count what refills.
 */
async function refilled(t: RouterContext, burst: number, cost: Judgement) {
  const rate = cost.violations.length > 0 ? undefined : await filledAtItsRate(t, burst);
  // It takes most of ten seconds.
  const paced = t.thorough && rate?.violations.length === 0 ? await atEvenPace(t) : [];
  const emptyAt = performance.now();
  const refused = rate === undefined ? AT_ONCE : REFUSED;
  const first = await oneRefilled(t, emptyAt, refused);
  // A first refusal may have met a bucket that was almost due; after a request that passed, nothing is left.
  const one = isRateLimited(first.exchange) ? first : await oneRefilled(t, emptyAt, refused);
  // Enough requests to see a whole minute's quota come back at once, without spending it.
  const most = mostRefilled(one.waitedMs + 5_000, bucketOf(t)) + 1;
  const after = await untilRefused(async () => ask(t), { code: CODE, most, atOnce: AT_ONCE });
  return { rate, paced, ones: [first, one] as const, after, ms: performance.now() - emptyAt };
}

/** Requests at an even pace, beyond those in stock when they begin, and the share by which each comes later than it could. */
const PACED = 3;
const EASE = 1.25;

/** Requests that leave a little more time to each other than one takes to refill, from an empty bucket on. Leaves it empty. */
async function atEvenPace(t: RouterContext): Promise<readonly Exchange[]> {
  const shareMs = 60_000 / bucketOf(t).perMinute;
  // Refused requests may have cost quota, and a bucket that fills by ticks needs one of them in stock.
  const stockMs = TICK_MS + REFUSED * EASE * shareMs;
  await pause(stockMs, t.signal);
  const most = Math.ceil(stockMs / shareMs) + PACED;
  const sent = [await ask(t)];
  while (sent.length < most && !sent.some(isRateLimited)) {
    await pause(EASE * shareMs, t.signal);
    sent.push(await ask(t));
  }
  await emptied(t, async () => ask(t), 1);
  return sent;
}

/** Requests in a row: enough to tell what each costs. */
const ROW = 6;

/** Rows that are tried: a refill between two requests spoils a row. */
const ROWS = 3;

/** Sends a request that one agent fails and another serves. The client has sent one request all the same. */
async function askTwoAgents(t: RouterContext): Promise<Exchange> {
  const model = requireFixture(t, 'pair');
  requireTries(t, 2);
  const call = { model, as: bucketOf(t).as, maxTokens: FEW_TOKENS, urgent: true };
  return (await provoke(t, [unavailable, complete()], call)).exchange;
}

function orUnseen(error: unknown): Judgement {
  if (!isUnseen(error)) throw error;
  return notObserved;
}

/** Whether requests of one kind in a row cost one each, judged by the first row that shows it. */
async function tookOneEach(t: RouterContext, send: () => Promise<Exchange>): Promise<Judgement> {
  for (let left = ROWS; ; left -= 1) {
    const sent: Exchange[] = [];
    while (sent.length < ROW) sent.push(await send());
    const row = sent.every(isSuccess) ? sent : [];
    const judgement = eachTookOne(row, bucketOf(t));
    const isCounted = row.some((exchange) => remainingOf(exchange, 'requests') !== undefined);
    if (judgement.seen > 0 || !isCounted || left === 1) return judgement;
  }
}

/** How many requests invalid ones take from the bucket, as far as the header shows. */
async function costOfInvalid(t: RouterContext): Promise<string> {
  const before = await ask(t);
  await sendAtOnce(5, async () => ask(t, { extra: { model: undefined } }));
  const after = await ask(t);
  const [first, last] = [remainingOf(before, 'requests'), remainingOf(after, 'requests')];
  if (first === undefined || last === undefined) return 'no header tells';
  return `the header fell from ${first} to ${last} over five invalid requests and one valid one`;
}
