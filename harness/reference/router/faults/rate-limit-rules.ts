/** Request buckets and quotas per model that do not hold, or hold too well. */

import { withHeader } from '../../http.ts';
import { RouterFailure } from '../model.ts';
import {
  answering,
  every,
  faultTable,
  forces,
  on,
  refusal,
  replace,
  REQUESTS,
  type When,
  withError,
} from './words.ts';
import { isEmptyBucket, kinds, refusingLate, without } from './words-limits.ts';

/** Quotas of a key, and what a request over them shows. */
const keyQuotas = [
  ['requests', 'exhausted-bucket'],
  ['share', 'serverless-occupancy-current'],
  ['output-rate', 'serverless-output-rate-later'],
  ['input-rate', 'serverless-input-rate-current'],
] as const;

const isUndeclared: When = (reply, { key }) => reply.status === 429 && key?.name === 'perModel';

const ofKeys = kinds.flatMap(([slug, where]) =>
  keyQuotas.flatMap(([limit, aim]) =>
    faultTable('router.rate-limit-rules', {
      // That limits which count tokens hold for the messages route is implied.
      [`${slug === 'messages' && limit !== 'requests' ? 'serverless-on-messages' : aim}: ${limit}-unlimited-for-${slug}`]:
        without(limit, where),
    }),
  ),
);

export const rateLimitRulesFaults = [
  ...faultTable('router.rate-limit-rules', {
    'undeclared-model-reaches-no-engine: undeclared-model-unlimited-for-streams': {
      besides: ['undeclared-model'],
      patch: without('declaration', on({ stream: true })),
    },
    'undeclared-model-reaches-no-engine: undeclared-model-looked-at-late': refusingLate(
      (rules, mark) => ({
        quotaOf: (key, model) => {
          const quota = rules.quotaOf(key, model);
          return quota === 'undeclared'
            ? { requestsPerMinute: undefined, tokensPerDay: undefined }
            : quota;
        },
        capable: (model, route, context) => {
          const { key } = context;
          if (key !== undefined && rules.quotaOf(key, model.id) === 'undeclared') mark(context);
          return rules.capable(model, route, context);
        },
      }),
      (reply) => refusal(reply, 429, 'rate_limit_exceeded'),
    ),
    'exhausted-bucket: empty-bucket-is-concurrency-limit': answering(isEmptyBucket, (reply) =>
      refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
    ),
    'request-costs-one: requests-cost-two': () => ({ requestCost: () => 2 }),
    'request-costs-one: streams-cost-two-requests': replace(
      'requestCost',
      (original, context) => (context.stream ? 2 : 1) * original(context),
    ),
    'exhausted-bucket-remaining-zero: empty-bucket-says-nothing-for-streams': answering(
      every(isEmptyBucket, on({ stream: true })),
      (reply) => withHeader(reply, REQUESTS, undefined),
    ),
    'exhausted-bucket-remaining-zero: empty-bucket-says-one-remains': answering(
      isEmptyBucket,
      (reply) => withHeader(reply, REQUESTS, '1'),
    ),
    'exhausted-bucket-no-retry-after: empty-bucket-says-when': {
      besides: ['router.response-headers.no-retry-after-on-plain-rate-limit'],
      patch: answering(isEmptyBucket, (reply) => withHeader(reply, 'Retry-After', '1')),
    },
    'exhausted-bucket-reaches-no-engine: empty-bucket-looked-at-late': refusingLate(
      (rules, mark) => ({
        gives: (level, amount, what) => what === 'request' || rules.gives(level, amount, what),
        rateHeaders: (remaining, status, failure, context) => {
          if ((remaining.requests ?? 0) < 0) mark(context);
          return rules.rateHeaders(remaining, status, failure, context);
        },
      }),
      (reply) => refusal(reply, 429, 'rate_limit_exceeded', { [REQUESTS]: '0' }),
    ),
    'refill-continuous: bucket-refills-once-a-minute': (rules) => {
      // Its minutes begin with the first request: with those of a clock, one could begin in the middle of a proof.
      let from: number | undefined;
      return {
        refill: (bucket, now) => {
          if (bucket.size > 10_000 || bucket.size === 2_000) return rules.refill(bucket, now);
          const start = (from ??= now);
          const minuteOf = (time: number): number => Math.floor((time - start) / 60_000);
          return minuteOf(now) > minuteOf(bucket.at) ? bucket.size : bucket.level;
        },
      };
    },
    'refill-continuous: bucket-refills-at-a-tenth': replace('refill', (original, bucket, now) =>
      Math.min(bucket.size, bucket.level + (original(bucket, now) - bucket.level) / 10),
    ),
    'refill-rate: bucket-refills-at-half-its-rate': replace('refill', (original, bucket, now) =>
      Math.min(bucket.size, bucket.level + (original(bucket, now) - bucket.level) / 2),
    ),
    'refill-gradual: bucket-refills-whole-at-once': (rules) => {
      let emptyAt: number | undefined;
      return {
        refill: (bucket, now) => {
          if (bucket.size > 10_000) return rules.refill(bucket, now);
          if (bucket.level < 1) emptyAt ??= now;
          if (emptyAt === undefined) return bucket.level;
          if (now - emptyAt < 60_000 / bucket.perMinute) return bucket.level;
          emptyAt = undefined;
          return bucket.size;
        },
      };
    },
    'bucket-per-key: empty-bucket-refuses-everybody': {
      says: 'Refuses other keys too for a moment once one key is out of requests.',
      patch: (rules) => {
        let until = 0;
        return {
          gives: (level, amount, what) => {
            if (what !== 'request') return rules.gives(level, amount, what);
            const given = rules.gives(level, amount, what);
            if (!given) until = Date.now() + 40;
            return given;
          },
          capable: (model, route, context) => {
            if (context.key?.requestsPerMinute === undefined && Date.now() < until) {
              throw new RouterFailure('rate_limit_exceeded', 'too many requests', {
                quota: 'bucket',
              });
            }
            return rules.capable(model, route, context);
          },
        };
      },
    },
    'undeclared-model: undeclared-model-is-token-limit': answering(isUndeclared, (reply) =>
      withError(reply, { code: 'token_limit_exceeded' }),
    ),
    'undeclared-model: undeclared-model-forbidden-on-messages': answering(
      every(isUndeclared, on({ path: '/v1/messages' })),
      (reply) => refusal(reply, 403, 'model_forbidden'),
    ),
    'declared-model-served: declared-model-refused': forces(
      'quotaOf',
      'undeclared',
      (key) => key.perModel !== undefined,
    ),
    'undeclared-model-no-retry-after: undeclared-model-says-when': answering(
      isUndeclared,
      (reply) => withHeader(reply, 'Retry-After', '1'),
    ),
    'undeclared-model-no-retry-after: undeclared-model-says-when-on-messages': answering(
      every(isUndeclared, on({ path: '/v1/messages' })),
      (reply) => withHeader(reply, 'Retry-After', '1'),
    ),
    'undeclared-model-stays: undeclared-model-lifts': {
      says: 'Lets an undeclared model pass a second after it was refused.',
      patch: (rules) => {
        let refusedAt: number | undefined;
        return {
          quotaOf: (key, model) => {
            const quota = rules.quotaOf(key, model);
            if (quota !== 'undeclared') return quota;
            refusedAt ??= Date.now();
            return Date.now() - refusedAt < 1_000
              ? quota
              : { requestsPerMinute: undefined, tokensPerDay: undefined };
          },
        };
      },
    },
  }),
  ...ofKeys,
];
