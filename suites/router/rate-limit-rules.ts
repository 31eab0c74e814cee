/** Rate limit rules: the request bucket of a key, models that its quotas do not declare, and serverless rates. */

import { complete } from '../../harness/backend/behaviour.ts';
import { routerNeeds } from '../../schemas/router/needs.ts';
import { notObserved, together } from '../../harness/checks/judgement.ts';
import {
  becameLimited,
  isNotUndeclared,
  isRateLimited,
  notLimited,
  refilledContinuously,
  refilledGradually,
  remainingWhileEmptied,
  saysNoRequestsRemain,
  tellsItsRate,
} from '../../harness/checks/limits/bucket.ts';
import { reachedNoEngine } from '../../harness/checks/router/tries.ts';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import { endedWith, outcomeText } from '../../harness/checks/router/outcome.ts';
import { carriesNoRetryAfter } from '../../harness/checks/router/headers.ts';
import type { InferenceRoute } from '../../harness/drivers/router/api.ts';
import { askRoute, FEW_TOKENS } from '../../harness/drivers/router/client-routes.ts';
import {
  besideEmptied,
  bucketEmptied,
  bucketOf,
  emptiedByOne,
} from '../../harness/drivers/router/buckets.ts';
import { hitsOfRefused } from '../../harness/drivers/router/hold.ts';
import { onceServed } from '../../harness/drivers/router/rested.ts';
import {
  type RouterContext,
  required,
  routerSection,
} from '../../harness/drivers/router/session.ts';
import { pause } from '../../harness/exchange/budget.ts';
import { Inconclusive, judgeOrLack } from '../../harness/runner/case.ts';
import { serverless } from './laws/serverless.ts';
import type { Exhausted } from '../../harness/drivers/router/provoke.ts';
import { judgeByReplicas, requireKey } from '../../harness/drivers/router/fixtures.ts';

const ID = 'router.rate-limit-rules';
const CODE = 'rate_limit_exceeded';
const EXHAUSTED = `${ID}.exhausted-bucket`;
const ZERO = `${ID}.exhausted-bucket-remaining-zero`;
const NO_RETRY_AFTER = `${ID}.exhausted-bucket-no-retry-after`;
const COUNTS_DOWN = 'router.response-headers.remaining-requests-counts-down';
const BUCKET = { isolation: { fixtures: ['keys.requestsPerMinute'] } } as const;

/** The inference routes without output, as far as the target file has a model for them. */
function outputless({ models }: RouterContext): readonly InferenceRoute[] {
  return [
    ...(models.embedding === undefined ? [] : ['embeddings' as const]),
    ...(models.reranker === undefined ? [] : ['rerank' as const]),
  ];
}

/** What an empty bucket says. Throws `Inconclusive` where it never became empty. */
function judgeEmpty(t: RouterContext, { last, sent }: Exhausted): void {
  judgeByReplicas(t, EXHAUSTED, becameLimited(last, sent));
  if (!isRateLimited(last)) throw new Inconclusive('the request bucket never became empty');
  t.judge(ZERO, saysNoRequestsRemain(last));
  t.judge(NO_RETRY_AFTER, carriesNoRetryAfter(last));
}

export default routerSection('rate-limit-rules', (test) => {
  test(
    'a request that is served takes one of its bucket',
    {
      judges: [`${ID}.request-costs-one`, `${ID}.refused-requests-cost`],
      ...BUCKET,
      waits: true,
    },
    async (t) => {
      const untold = 'no row of answers told what each request took';
      const { cost, costOfInvalid } = await bucketEmptied.of(t);
      judgeOrLack(t, `${ID}.request-costs-one`, cost, untold);
      t.record(`${ID}.refused-requests-cost`, costOfInvalid);
    },
  );

  test(
    'an empty request bucket refuses, and says so',
    {
      judges: [`${ID}.bucket-size`, EXHAUSTED, ZERO, NO_RETRY_AFTER, COUNTS_DOWN],
      ...BUCKET,
      waits: true,
    },
    async (t) => {
      const { empty, answers } = await bucketEmptied.of(t);
      const bucket = bucketOf(t);
      const counted = remainingWhileEmptied(answers, bucket);
      judgeByReplicas(t, COUNTS_DOWN, counted);
      if (counted.seen === 0) {
        t.notExercised(
          COUNTS_DOWN,
          `too few of the ${answers.length} answers that emptied a bucket of ${bucket.perMinute} requests a minute told what remained`,
        );
      }
      const note = `${empty.passed} requests passed before the first refusal, of ${bucket.perMinute} a minute`;
      t.record(`${ID}.bucket-size`, note, empty.last);
      judgeEmpty(t, empty);
    },
  );

  test(
    'an empty request bucket fills by and by',
    {
      judges: [`${ID}.refill-continuous`, `${ID}.refill-gradual`, `${ID}.refill-rate`],
      ...BUCKET,
      waits: true,
    },
    async (t) => {
      const { empty, refill } = await bucketEmptied.of(t);
      if (refill === undefined) throw new Inconclusive('the request bucket never became empty');
      const bucket = bucketOf(t);
      const continuous = refilledContinuously(refill, bucket);
      t.judge(`${ID}.refill-continuous`, continuous);
      // One that does not fill at all is told so already.
      if (continuous.violations.length > 0) return;
      const { line } = routerNeeds['keys.requestsPerMinute'];
      const gradual = refilledGradually(refill, bucket);
      judgeByReplicas(t, `${ID}.refill-gradual`, gradual);
      if (gradual.seen === 0) {
        t.notExercised(
          `${ID}.refill-gradual`,
          `a quota of ${bucket.perMinute} requests a minute may be full again in the ${Math.round(refill.ms / 1_000)} s that it takes to see it fill: it needs a larger one`,
          line,
        );
      }
      judgeOrLack(
        t,
        `${ID}.refill-rate`,
        refill.rate ?? notObserved,
        `a quota of ${bucket.perMinute} requests a minute, of which ${empty.passed} came at once, does not tell how fast it fills: it takes 90 to 600 a minute, most of them at once`,
        // Where the quota is of the right size, it is the router that gives too few at once.
        tellsItsRate(bucket.perMinute) ? undefined : line,
      );
    },
  );

  test(
    'a request that an empty bucket refuses reaches no engine',
    {
      judges: [EXHAUSTED, ZERO, NO_RETRY_AFTER, `${ID}.exhausted-bucket-reaches-no-engine`],
      ...BUCKET,
    },
    async (t) => {
      const { empty, hits } = await emptiedByOne(t);
      judgeEmpty(t, empty);
      t.judge(`${ID}.exhausted-bucket-reaches-no-engine`, reachedNoEngine(empty.last, hits));
      // Whether their quotas are of the same bucket is open: the universal checks judge what they say.
      for (const route of outputless(t)) await askRoute(t, route, { as: bucketOf(t).as });
    },
  );

  test(
    'while one key is out of requests another is served',
    {
      judges: [EXHAUSTED, ZERO, `${ID}.bucket-per-key`],
      ...BUCKET,
    },
    async (t) => {
      const { empty, beside } = await besideEmptied(t);
      judgeEmpty(t, empty);
      for (const other of beside) {
        t.judge(`${ID}.bucket-per-key`, notLimited(other));
      }
    },
  );

  test(
    'a model that the quotas of a key do not declare is a rate limit that never lifts',
    {
      judges: [
        `${ID}.undeclared-model`,
        `${ID}.undeclared-model-no-retry-after`,
        `${ID}.undeclared-model-stays`,
      ],
      waits: true,
    },
    async (t) => {
      const key = requireKey(t, 'perModel');
      const ask = async () => t.api.chat(key.undeclared, { as: key.key, maxTokens: FEW_TOKENS });
      const first = await ask();
      t.judge(`${ID}.undeclared-model`, endedWith(first, [CODE]));
      t.judge(`${ID}.undeclared-model-no-retry-after`, carriesNoRetryAfter(first));
      await t.quietly(async () => pause(1_500, t.signal));
      const later = await ask();
      t.judge(
        `${ID}.undeclared-model-stays`,
        isRateLimited(first) ? endedWith(later, [CODE]) : notObserved,
      );
    },
  );

  test(
    'a model that the quotas of a key declare is not refused as undeclared',
    { judges: [`${ID}.declared-model-served`] },
    async (t) => {
      const { key: as, declared: model } = requireKey(t, 'perModel');
      const declared = required(model, 'keys.perModel.declared');
      const ask = async () => t.api.chat(declared, { as, maxTokens: FEW_TOKENS });
      const answer = await onceServed(t, declared, ask);
      t.judge(`${ID}.declared-model-served`, isNotUndeclared(answer));
    },
  );

  test(
    'a request for an undeclared model reaches no engine',
    {
      judges: [
        `${ID}.undeclared-model`,
        `${ID}.undeclared-model-no-retry-after`,
        `${ID}.undeclared-model-reaches-no-engine`,
      ],
    },
    async (t) => {
      const key = requireKey(t, 'perModel');
      const script = await t.backend.script([complete()]);
      const refused = await t.api.chat(key.undeclared, { as: key.key, script });
      // The transparent routes have the same quotas; which refusal comes first there is open.
      const proxied = await t.api.infer('messages', key.undeclared, { as: key.key, script });
      const streamed = await t.api.chat(key.undeclared, { as: key.key, script, stream: true });
      const told = codeOf(proxied) === 'model_forbidden' ? [streamed, proxied] : [streamed];
      t.judge(
        `${ID}.undeclared-model`,
        together(...told.map((refusal) => endedWith(refusal, [CODE]))),
      );
      t.judge(
        `${ID}.undeclared-model-no-retry-after`,
        together(...[streamed, proxied].filter(isRateLimited).map(carriesNoRetryAfter)),
      );
      const hits = await hitsOfRefused(t, script);
      const control = await t.api.chat(key.undeclared, { script });
      const after = await t.backend.counts(script);
      if (after.hits === hits) {
        throw new Inconclusive(
          `${key.undeclared} is not served to another key either (${outcomeText(control)})`,
        );
      }
      t.judge(`${ID}.undeclared-model-reaches-no-engine`, reachedNoEngine(refused, hits));
    },
  );

  serverless(test);
});
