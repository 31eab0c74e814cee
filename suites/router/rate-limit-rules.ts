/** Rate limit rules: the request bucket of a key, models that its quotas do not declare, and serverless limits. */

import { routerNeeds } from '../../schemas/router/needs.ts';
import { notObserved, together } from '../../harness/checks/judgement.ts';
import {
  becameLimited,
  isNotUndeclared,
  isRateLimited,
  refilledContinuously,
  refilledGradually,
  remainingWhileEmptied,
  saysNoRequestsRemain,
  isRateMeasurable,
} from '../../harness/checks/limits/bucket.ts';
import {
  answeredWith,
  endedWith,
  isSuccess,
  succeeded,
} from '../../harness/checks/router/outcome.ts';
import { carriesNoRetryAfter, carriesRetryAfter } from '../../harness/checks/router/headers.ts';
import { FEW_TOKENS } from '../../harness/drivers/router/client-routes.ts';
import { bucketEmptied, bucketOf } from '../../harness/drivers/router/buckets.ts';
import { bucketExceeded, undeclaredAsked } from '../../harness/drivers/router/key-quotas.ts';
import { onceServed } from '../../harness/drivers/router/ejection.ts';
import { required, routerSection } from '../../harness/drivers/router/session.ts';
import {
  inputExceeded,
  OUTPUT_TEXT,
  outputExceeded,
  shareAfterRefusals,
  spendOutput,
} from '../../harness/drivers/router/serverless-rates.ts';
import { refusedUpFront, shareExceeded } from '../../harness/drivers/router/serverless-share.ts';
import { pause } from '../../harness/exchange/budget.ts';
import { Inconclusive, judgeOrLack } from '../../harness/runner/case.ts';
import { judgeByReplicas, requireKey } from '../../harness/drivers/router/fixtures.ts';
import { type KeyLimit, keyLimit } from './laws/key-limits.ts';

const ID = 'router.rate-limit-rules';
const CODE = 'rate_limit_exceeded';
const EXHAUSTED = `${ID}.exhausted-bucket`;
const ZERO = `${ID}.exhausted-bucket-remaining-zero`;
const NO_RETRY_AFTER = `${ID}.exhausted-bucket-no-retry-after`;
const COUNTS_DOWN = 'router.response-headers.remaining-requests-counts-down';
const OUTPUT = `${ID}.serverless-output-rate`;
const KEY = { isolation: { fixtures: ['keys.serverless'] } } as const;
const SERVERLESS = {
  fixture: 'keys.serverless',
  onMessages: `${ID}.serverless-on-messages`,
} as const;
const BUCKET = { isolation: { fixtures: ['keys.requestsPerMinute'] } } as const;

/** The limits of a key whose error is `rate_limit_exceeded`. */
const limits: readonly KeyLimit[] = [
  {
    what: 'a key whose request bucket is empty',
    exceed: async (t) => bucketExceeded.of(t),
    refused: EXHAUSTED,
    says: [
      [ZERO, saysNoRequestsRemain],
      [NO_RETRY_AFTER, carriesNoRetryAfter],
    ],
    reachesNoEngine: `${ID}.exhausted-bucket-reaches-no-engine`,
    perKey: `${ID}.bucket-per-key`,
    fixture: 'keys.requestsPerMinute',
    perReplica: true,
  },
  {
    what: 'a key that asks for a model which its quotas do not declare',
    exceed: undeclaredAsked,
    refused: `${ID}.undeclared-model`,
    says: [[`${ID}.undeclared-model-no-retry-after`, carriesNoRetryAfter]],
    reachesNoEngine: `${ID}.undeclared-model-reaches-no-engine`,
  },
  {
    what: 'a serverless key over its occupancy share',
    exceed: async (t) => shareExceeded.of(t),
    refused: `${ID}.serverless-occupancy`,
    says: [[`${ID}.serverless-occupancy-retry-after`, carriesRetryAfter]],
    reachesNoEngine: `${ID}.serverless-occupancy-current`,
    perKey: `${ID}.serverless-per-key`,
    ...SERVERLESS,
  },
  {
    what: 'a serverless key over its input token rate',
    exceed: async (t) => inputExceeded.of(t),
    refused: `${ID}.serverless-input-rate`,
    says: [[`${ID}.serverless-input-rate-retry-after`, carriesRetryAfter]],
    reachesNoEngine: `${ID}.serverless-input-rate-current`,
    perKey: `${ID}.serverless-per-key`,
    ...SERVERLESS,
  },
  {
    what: 'a serverless key over its output token rate',
    exceed: async (t) => outputExceeded.of(t),
    refused: OUTPUT,
    says: [[`${OUTPUT}-retry-after`, carriesRetryAfter]],
    reachesNoEngine: `${OUTPUT}-later`,
    perKey: `${ID}.serverless-per-key`,
    ...SERVERLESS,
  },
];

export default routerSection('rate-limit-rules', (test) => {
  test(
    'a request that is served takes one of its bucket',
    {
      judges: [`${ID}.request-costs-one`, `${ID}.refused-requests-cost`],
      ...BUCKET,
      waitsLong: true,
    },
    async (t) => {
      const unseen = 'no row of answers told what each request took';
      const { cost, costOfInvalid } = await bucketEmptied.of(t);
      judgeOrLack(t, `${ID}.request-costs-one`, cost, unseen);
      t.record(`${ID}.refused-requests-cost`, costOfInvalid);
    },
  );

  test(
    'an empty request bucket refuses, and says so',
    {
      judges: [`${ID}.bucket-size`, EXHAUSTED, ZERO, NO_RETRY_AFTER, COUNTS_DOWN],
      ...BUCKET,
      waitsLong: true,
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
      judgeByReplicas(t, EXHAUSTED, becameLimited(empty.last, empty.sent));
      if (!isRateLimited(empty.last)) throw new Inconclusive('the request bucket never ran empty');
      t.judge(ZERO, saysNoRequestsRemain(empty.last));
      t.judge(NO_RETRY_AFTER, carriesNoRetryAfter(empty.last));
    },
  );

  test(
    'an empty request bucket fills by and by',
    {
      judges: [`${ID}.refill-continuous`, `${ID}.refill-gradual`, `${ID}.refill-rate`],
      ...BUCKET,
      waitsLong: true,
    },
    async (t) => {
      const { empty, refill } = await bucketEmptied.of(t);
      if (refill === undefined) throw new Inconclusive('the request bucket never ran empty');
      const bucket = bucketOf(t);
      const continuous = refilledContinuously(refill, bucket);
      t.judge(`${ID}.refill-continuous`, continuous);
      // The judgement above already covers a bucket that does not refill.
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
      const isMeasurable = isRateMeasurable(bucket.perMinute);
      judgeOrLack(
        t,
        `${ID}.refill-rate`,
        refill.rate ?? notObserved,
        `a quota of ${bucket.perMinute} requests a minute, of which ${empty.passed} came at once, does not tell how fast it fills: ${
          isMeasurable
            ? 'most of them must come at once; where an earlier run used the key, run again in a minute'
            : 'it takes 90 to 600 a minute, most of them at once'
        }`,
        // With a measurable quota, another target file would not help: the bucket was used, or holds too few at once.
        isMeasurable ? undefined : line,
      );
    },
  );

  test(
    'a model that the quotas of a key do not declare is a rate limit that never lifts',
    { judges: [`${ID}.undeclared-model-stays`], waitsLong: true },
    async (t) => {
      const key = requireKey(t, 'perModel');
      const ask = async () => t.api.chat(key.undeclared, { as: key.key, maxTokens: FEW_TOKENS });
      const first = await ask();
      await t.yieldTarget(async () => pause(1_500, t.signal));
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

  for (const limit of limits) keyLimit(test, limit);

  test(
    'the occupancy share of a serverless key comes back however its requests end',
    // Before the output cases, since a router that counts by whole minutes would reject the key for that long.
    { judges: ['router.admission.serverless-share-back'], ...KEY, waitsLong: true },
    async (t) => {
      const { back } = await shareExceeded.of(t);
      t.judge('router.admission.serverless-share-back', back);
      const isBack = back.seen > 0 && back.violations.length === 0;
      const later = isBack ? await shareAfterRefusals(t) : notObserved;
      t.judge('router.admission.serverless-share-back', later);
    },
  );

  test(
    'output over the rate of a serverless key is delivered all the same',
    { judges: [`${OUTPUT}-delivered`], ...KEY },
    async (t) => {
      const askedOnly = await refusedUpFront.of(t);
      t.judge(`${OUTPUT}-delivered`, together(...askedOnly.map(succeeded)));
      const { delivered } = await outputExceeded.of(t);
      const whole = delivered.map((exchange) => answeredWith(exchange, OUTPUT_TEXT));
      t.judge(`${OUTPUT}-delivered`, together(...whole));
    },
  );

  test(
    'a stream exhausts the output rate of a serverless key too',
    // It starts early, so that the bucket has refilled when other cases need the key.
    { judges: [`${OUTPUT}-streams`], ...KEY, waitsLong: true },
    async (t) => {
      const { delivered, later } = await spendOutput(t, { stream: true });
      const isWhole = delivered.some((one) => isSuccess(one) && one.ending === 'complete');
      t.judge(`${OUTPUT}-streams`, isWhole ? endedWith(later, [CODE]) : notObserved);
    },
  );
});
