/** Rate limit rules: the request bucket of a key. */

import { complete } from '../../harness/backend/behaviours.ts';
import { routerNeeds } from '../../schemas/needs.ts';
import { type Judgement, together, notObserved } from '../../harness/checks/judgement.ts';
import { reachedNoEngine } from '../../harness/checks/router/engine-hits.ts';
import { remainingOf } from '../../harness/checks/router/remaining-quota.ts';
import {
  becameLimited,
  FILLING_MS,
  fillsAtItsRate,
  isRateLimited,
  leastFilled,
  mostInBuckets,
  mostRefilled,
  notLimited,
  passesAgain,
  refilledGradually,
  saysNoRequestsRemain,
} from '../../harness/checks/router/request-bucket.ts';
import {
  eachTookOne,
  remainingRequestsChange,
  remainingRequestsCountDown,
} from '../../harness/checks/router/remaining-quota.ts';
import { carriesNoRetryAfter } from '../../harness/checks/router/retry-after.ts';
import { isSuccess } from '../../harness/checks/router/success.ts';
import { pause } from '../../harness/exchange/budget.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { again } from '../../harness/drivers/again.ts';
import type { InferenceOptions, InferenceRoute } from '../../harness/drivers/router/api.ts';
import { askRoute, FEW_TOKENS } from '../../harness/drivers/router/client-routes.ts';
import { type Exhausted, untilRefused } from '../../harness/drivers/router/exhausting.ts';
import { hitsOfRefused } from '../../harness/drivers/router/late-hits.ts';
import { judgeByReplicas, replicasOf } from '../../harness/drivers/router/replicas.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { until } from '../../harness/drivers/router/until.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/signals.ts';

/** The key that may be spent. Throws `NotExercised` without one. */
function bucketOf(t: RouterContext) {
  const key = t.target.keys.requestsPerMinute;
  if (key === undefined) throw new NotExercised('needs a key with a small request quota');
  // As much again as the buckets may hold: some fills in meanwhile, and what is no success need not cost.
  const buckets = { perMinute: key.limit, replicas: replicasOf(t) };
  return { as: key.key, ...buckets, buckets, most: mostInBuckets(buckets) + key.limit };
}

const CODE = 'rate_limit_exceeded';
const AT_ONCE = 8;

/** Sends small requests of the key until its bucket is empty; `answers` are all that came. */
async function emptied(t: RouterContext, options: InferenceOptions = {}, atOnce = AT_ONCE) {
  const { as, most } = bucketOf(t);
  const model = await t.anyModel();
  const answers: Exchange[] = [];
  const send = async () => {
    const answer = await t.api.chat(model, { maxTokens: FEW_TOKENS, ...options, as });
    answers.push(answer);
    return answer;
  };
  const from = performance.now();
  const empty = await untilRefused(send, { code: CODE, most, atOnce });
  enoughSent(t, empty, from);
  return { empty, answers, burst: empty.passed - replicasOf(t) * filledSince(t, from) };
}

/** Requests that have filled into one bucket since a moment. */
function filledSince(t: RouterContext, from: number): number {
  return ((performance.now() - from) / 60_000) * bucketOf(t).perMinute;
}

/**
 * Throws `Inconclusive` where a key was not refused because as much filled in as was taken, the target being slow, or
 * because too few requests were served, which alone cost quota for sure.
 */
function enoughSent(t: RouterContext, { last, served, sent }: Exhausted, from: number): void {
  const { buckets, replicas } = bucketOf(t);
  const filledIn = filledSince(t, from);
  // A last answer that is no success may be the refusal, by a wrong code: then whatever was sent counts.
  const taken = isSuccess(last) ? served : sent;
  if (isRateLimited(last) || taken >= mostInBuckets(buckets) + replicas * filledIn) return;
  throw new Inconclusive(
    `${taken} of ${sent} requests took from the bucket, and ${Math.round(filledIn)} filled in meanwhile`,
  );
}

/** The inference routes without output, as far as the target file has a model for them. */
function otherInference(t: RouterContext): readonly InferenceRoute[] {
  const { embedding, reranker } = t.models;
  return [
    ...(embedding === undefined ? [] : ['embeddings' as const]),
    ...(reranker === undefined ? [] : ['rerank' as const]),
  ];
}

/** Milliseconds that a lone timer or a slow target may add. */
const SLACK_MS = 250;
/** Times what one request takes to fill in, for which it is waited for: elsewhere each refused request may cost one, too. */
const TRIES = [1, AT_ONCE + 2, 3];

/** Waits for the bucket to give one request. Returns the last answer, and how long ago the bucket was empty. */
async function oneRefilled(t: RouterContext, emptyAt: number) {
  const { as, perMinute } = bucketOf(t);
  const model = await t.anyModel();
  const ask = async () => t.api.chat(model, { maxTokens: FEW_TOKENS, as });
  const pausesMs = TRIES.map((times) => (times * 1.2 * 60_000) / perMinute + SLACK_MS);
  await pause(pausesMs[0] ?? 0, t.signal);
  const served = (exchange: Exchange): boolean => !isRateLimited(exchange);
  const exchange = await again(ask, served, pausesMs.slice(1), t.signal);
  return { exchange, waitedMs: performance.now() - emptyAt };
}

/** Rounds in which what filled in is counted: where refused requests cost quota too, one only makes up for them. */
const FILLINGS = 3;

/**
 * Whether a bucket that has just become empty fills at the rate of the limit; undefined where that cannot be told.
 * `burst` is how many requests it gave at once. Ends with the bucket empty.
 */
async function filledAtItsRate(t: RouterContext, burst: number): Promise<Judgement | undefined> {
  const { as, buckets } = bucketOf(t);
  if (leastFilled(buckets, burst, FILLING_MS) === undefined) return undefined;
  const model = await t.anyModel();
  const send = async () => t.api.chat(model, { maxTokens: FEW_TOKENS, as });
  let wasWrong = false;
  for (let round = 0; round < FILLINGS; round += 1) {
    const from = performance.now();
    const wait = async () => pause(FILLING_MS, t.signal);
    // The first wait overlaps with whoever is alone, however long that takes.
    await (round === 0 ? t.quietly(wait) : wait());
    const ms = performance.now() - from;
    const least = leastFilled(buckets, burst, ms);
    let judgement: Judgement | undefined;
    if (least !== undefined) {
      const filled = await untilRefused(send, { code: CODE, most: least });
      judgement = fillsAtItsRate(filled.last, filled.passed, { least, ms });
    }
    // One after the other, so that no more than one is refused.
    await emptied(t, {}, 1);
    if (judgement === undefined) continue;
    // Wrong once is not enough: refused requests may have cost quota.
    if (judgement.violations.length === 0 || wasWrong) return judgement;
    wasWrong = true;
  }
  return undefined;
}

/** Quotas a minute of which it can be told how fast they fill, while waiting is short and few are sent. */
const TELLING_RATES = { least: 90, most: 600 };

function tellsItsRate(perMinute: number): boolean {
  return perMinute >= TELLING_RATES.least && perMinute <= TELLING_RATES.most;
}

/** How often another key is asked right after one was refused. */
const ROUNDS = 6;
/** Requests of a key beyond which its own quota is no matter. */
const PLENTY = 50;
/** Milliseconds in which another key is no longer refused for what was before. */
const OTHERS_WITHIN_MS = 500;

/** Keys that no quota of their own can be in the way of. Throws `NotExercised` when there is none. */
async function otherKeys(t: RouterContext, model: string): Promise<readonly string[]> {
  const generous: string[] = [];
  for (const as of ['unlimited', 'second', 'client'] as const) {
    if (t.target.keys[as] === undefined) continue;
    // A case before this one may have left the bucket empty, and another key refused for it.
    const ask = async () => t.api.chat(model, { as, maxTokens: FEW_TOKENS, repeat: false });
    const exchange = await until(ask, (one) => !isRateLimited(one), {
      withinMs: OTHERS_WITHIN_MS,
      signal: t.signal,
    });
    if (isSuccess(exchange) && (remainingOf(exchange, 'requests') ?? Infinity) > PLENTY)
      generous.push(as);
  }
  if (generous.length > 0) return generous;
  throw new NotExercised('needs another client key with a generous request quota');
}

/** Requests in a row, enough to tell what each takes. */
const ROW = 6;
/** Rows that are tried: what fills in between two requests spoils one. */
const ROWS = 3;

/** Answers to requests that are sent one after the other; none where not all of them are served. */
async function servedInARow(t: RouterContext, stream: boolean): Promise<readonly Exchange[]> {
  const { as } = bucketOf(t);
  const model = await t.anyModel();
  const row: Exchange[] = [];
  while (row.length < ROW) row.push(await t.api.chat(model, { as, stream, maxTokens: FEW_TOKENS }));
  return row.every(isSuccess) ? row : [];
}

/** Whether requests in a row, all streams or none, took one each, of the first row that tells. */
async function tookOneEach(t: RouterContext, stream: boolean): Promise<Judgement> {
  for (let left = ROWS; ; left -= 1) {
    const row = await servedInARow(t, stream);
    const judgement = eachTookOne(row);
    const isTold = row.some((exchange) => remainingOf(exchange, 'requests') !== undefined);
    if (judgement.seen > 0 || !isTold || left === 1) return judgement;
  }
}

/** How many requests invalid ones take from the bucket, as far as the header tells. */
async function costOfInvalid(t: RouterContext): Promise<string> {
  const { as } = bucketOf(t);
  const model = await t.anyModel();
  const before = await t.api.chat(model, { as, maxTokens: FEW_TOKENS });
  const invalid = async () => t.api.chat(model, { as, extra: { model: undefined } });
  await Promise.all(Array.from({ length: 5 }, invalid));
  const after = await t.api.chat(model, { as, maxTokens: FEW_TOKENS });
  const [first, last] = [remainingOf(before, 'requests'), remainingOf(after, 'requests')];
  if (first === undefined || last === undefined) return 'no header tells';
  return `the header fell from ${first} to ${last} over five invalid requests and one valid one`;
}

export default routerSection('rate-limit-rules', (test) => {
  test(
    'an empty request bucket refuses, says so, and fills by and by',
    {
      judges: [
        'router.rate-limit-rules.request-costs-one',
        'router.rate-limit-rules.refused-requests-cost',
        'router.rate-limit-rules.bucket-size',
        'router.rate-limit-rules.exhausted-bucket',
        'router.rate-limit-rules.exhausted-bucket-remaining-zero',
        'router.rate-limit-rules.exhausted-bucket-no-retry-after',
        'router.rate-limit-rules.refill-continuous',
        'router.rate-limit-rules.refill-gradual',
        'router.rate-limit-rules.refill-rate',
        'router.response-headers.remaining-requests-counts-down',
      ],
      exclusive: ['keys.requestsPerMinute'],
      waits: true,
      requests: 215,
    },
    async (t) => {
      const { perMinute, buckets } = bucketOf(t);
      const row = together(await tookOneEach(t, false), await tookOneEach(t, true));
      if (row.seen > 0) t.judge('router.rate-limit-rules.request-costs-one', row);
      else
        t.notExercised(
          'router.rate-limit-rules.request-costs-one',
          'no row of answers told what each request took',
        );
      t.record('router.rate-limit-rules.refused-requests-cost', await costOfInvalid(t));
      const { empty, answers, burst } = await emptied(t);
      const counted = together(
        remainingRequestsChange(
          answers.filter((exchange) => !isRateLimited(exchange)),
          perMinute,
        ),
        remainingRequestsCountDown(answers, buckets),
      );
      judgeByReplicas(t, 'router.response-headers.remaining-requests-counts-down', counted);
      if (counted.seen === 0) {
        t.notExercised(
          'router.response-headers.remaining-requests-counts-down',
          `too few of the ${answers.length} answers that emptied a bucket of ${perMinute} requests a minute told what remained`,
        );
      }
      t.record(
        'router.rate-limit-rules.bucket-size',
        `${empty.passed} requests passed before the first refusal, of ${perMinute} a minute`,
        empty.last,
      );
      judgeByReplicas(
        t,
        'router.rate-limit-rules.exhausted-bucket',
        becameLimited(empty.last, empty.sent),
      );
      if (!isRateLimited(empty.last))
        throw new Inconclusive('the request bucket never became empty');
      t.judge(
        'router.rate-limit-rules.exhausted-bucket-remaining-zero',
        saysNoRequestsRemain(empty.last),
      );
      t.judge(
        'router.rate-limit-rules.exhausted-bucket-no-retry-after',
        carriesNoRetryAfter(empty.last),
      );
      const rate = await filledAtItsRate(t, burst);
      const emptyAt = performance.now();
      const first = await oneRefilled(t, emptyAt);
      // The first refusal may have met a bucket that was almost due; after one that passed nothing is left over.
      const one = isRateLimited(first.exchange) ? first : await oneRefilled(t, emptyAt);
      t.judge(
        'router.rate-limit-rules.refill-continuous',
        together(
          ...[first, one].map(({ exchange, waitedMs }) =>
            passesAgain(exchange, waitedMs, perMinute),
          ),
        ),
      );
      // Enough to see a whole minute come back at once, without spending it.
      const { as } = bucketOf(t);
      const model = await t.anyModel();
      const refilled = await untilRefused(
        async () => t.api.chat(model, { maxTokens: FEW_TOKENS, as }),
        { code: CODE, most: mostRefilled(one.waitedMs + 5_000, buckets) + 1, atOnce: AT_ONCE },
      );
      const ms = performance.now() - emptyAt;
      const gradual = isRateLimited(one.exchange)
        ? notObserved
        : refilledGradually(refilled.last, refilled.passed + 2, ms, buckets);
      judgeByReplicas(t, 'router.rate-limit-rules.refill-gradual', gradual);
      if (gradual.seen === 0 && !isRateLimited(one.exchange)) {
        t.notExercised(
          'router.rate-limit-rules.refill-gradual',
          `a quota of ${perMinute} requests a minute may be full again in the ${Math.round(ms / 1_000)} s that it takes to see it fill: it needs a larger one`,
          routerNeeds['keys.requestsPerMinute'].line,
        );
      }
      // One that does not fill at all is told so already.
      if (isRateLimited(one.exchange)) return;
      if (rate === undefined) {
        t.notExercised(
          'router.rate-limit-rules.refill-rate',
          `a quota of ${perMinute} requests a minute, of which ${empty.passed} came at once, does not tell how fast it fills: it takes ${TELLING_RATES.least} to ${TELLING_RATES.most} a minute, most of them at once`,
          // Where the quota is of the right size, it is the router that gives too few at once.
          tellsItsRate(perMinute) ? undefined : routerNeeds['keys.requestsPerMinute'].line,
        );
      } else t.judge('router.rate-limit-rules.refill-rate', rate);
    },
  );

  test(
    'a request that an empty bucket refuses reaches no engine',
    {
      judges: [
        'router.rate-limit-rules.exhausted-bucket',
        'router.rate-limit-rules.exhausted-bucket-remaining-zero',
        'router.rate-limit-rules.exhausted-bucket-no-retry-after',
        'router.rate-limit-rules.exhausted-bucket-reaches-no-engine',
      ],
      exclusive: ['keys.requestsPerMinute'],
      requests: 105,
    },
    async (t) => {
      const { as, most } = bucketOf(t);
      const model = await t.anyModel();
      // The bucket is that of the key, so that it is emptied over a proxy route where the model is served there.
      const proxied = await t.api.infer('messages', model, { as, maxTokens: FEW_TOKENS });
      const route = isSuccess(proxied) ? 'messages' : 'chat';
      // A script for each request: only the one of the refused request may stay without a hit.
      let script = '';
      const send = async () => {
        script = await t.backend.script([complete()]);
        return t.api.infer(route, model, { script, as, maxTokens: FEW_TOKENS });
      };
      const from = performance.now();
      const empty = await untilRefused(send, { code: CODE, most });
      enoughSent(t, empty, from);
      const { last, sent } = empty;
      if (isSuccess(last) || isRateLimited(last)) {
        judgeByReplicas(t, 'router.rate-limit-rules.exhausted-bucket', becameLimited(last, sent));
      }
      if (!isRateLimited(last)) throw new Inconclusive('the request bucket never became empty');
      t.judge(
        'router.rate-limit-rules.exhausted-bucket-remaining-zero',
        saysNoRequestsRemain(last),
      );
      t.judge('router.rate-limit-rules.exhausted-bucket-no-retry-after', carriesNoRetryAfter(last));
      const hits = await hitsOfRefused(t, script);
      t.judge(
        'router.rate-limit-rules.exhausted-bucket-reaches-no-engine',
        reachedNoEngine(last, hits),
      );
      // Whether their quotas are of the same bucket is open: the universal checks judge what they say.
      for (const other of otherInference(t)) await askRoute(t, other, { as });
    },
  );

  test(
    'while one key is out of requests another is served',
    {
      judges: [
        'router.rate-limit-rules.exhausted-bucket',
        'router.rate-limit-rules.exhausted-bucket-remaining-zero',
        'router.rate-limit-rules.bucket-per-key',
      ],
      exclusive: ['keys.requestsPerMinute'],
      requests: 100,
    },
    async (t) => {
      const model = await t.anyModel();
      const others = await otherKeys(t, model);
      // By streams, which count like any other request.
      const { last, sent } = (await emptied(t, { stream: true })).empty;
      judgeByReplicas(t, 'router.rate-limit-rules.exhausted-bucket', becameLimited(last, sent));
      if (!isRateLimited(last)) throw new Inconclusive('the request bucket never became empty');
      t.judge(
        'router.rate-limit-rules.exhausted-bucket-remaining-zero',
        saysNoRequestsRemain(last),
      );
      const { as } = bucketOf(t);
      const options = { maxTokens: FEW_TOKENS, repeat: false };
      for (let round = 0; round < ROUNDS; round += 1) {
        const other = others[round % others.length];
        if (other === undefined) break;
        const refused = await t.api.chat(model, { ...options, as });
        const beside = await t.api.chat(model, { ...options, as: other });
        t.judge(
          'router.rate-limit-rules.bucket-per-key',
          isRateLimited(refused) ? notLimited(beside) : notObserved,
        );
      }
    },
  );
});
