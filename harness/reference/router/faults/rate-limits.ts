/** Request buckets and quotas per model that do not hold, or hold too well. */

import { withHeader } from '../../http.ts';
import { RouterFailure } from '../model.ts';
import {
  answering,
  every,
  faultTable,
  refusal,
  replace,
  unless,
  type When,
  withError,
} from './answering.ts';
import { refusingLate } from './late.ts';

const REMAINING = 'X-RateLimit-Remaining-Requests';

/** Answers of the key whose bucket is small, refused for it. */
const isEmptyBucket: When = (reply, { key }) =>
  reply.status === 429 && key?.name === 'requestsPerMinute';
export const isUndeclared: When = (reply, { key }) =>
  reply.status === 429 && key?.name === 'perModel';

export const rateLimitFaults = faultTable({
  'router.rate-limit-rules.exhausted-bucket': {
    'bucket-never-empty': {
      says: 'Counts requests and refuses none.',
      patch: unless('gives', (_level, _amount, what) => what === 'request', true),
    },
    'empty-bucket-is-no-capacity': answering(isEmptyBucket, (reply) =>
      refusal(reply, 503, 'no_capacity'),
    ),
    'empty-bucket-is-concurrency-limit': answering(isEmptyBucket, (reply) =>
      refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
    ),
  },
  'router.rate-limit-rules.request-costs-one': {
    'requests-cost-two': {
      says: 'Takes two requests of the bucket for each.',
      patch: () => ({ requestCost: () => 2 }),
    },
    'streams-cost-two-requests': replace(
      'requestCost',
      (original, context) => (context.stream ? 2 : 1) * original(context),
    ),
  },
  'router.rate-limit-rules.exhausted-bucket-remaining-zero': {
    'empty-bucket-says-nothing-for-streams': {
      says: 'Leaves out what remains when a key is out of requests and asks for a stream.',
      patch: answering(
        every(isEmptyBucket, (_reply, { stream }) => stream),
        (reply) => withHeader(reply, REMAINING, undefined),
      ),
    },
    'empty-bucket-says-nothing': {
      says: 'Leaves out what remains when a key is out of requests.',
      patch: answering(isEmptyBucket, (reply) => withHeader(reply, REMAINING, undefined)),
    },
    'empty-bucket-says-one-remains': answering(isEmptyBucket, (reply) =>
      withHeader(reply, REMAINING, '1'),
    ),
  },
  'router.response-headers.no-retry-after-on-plain-rate-limit': {
    'empty-bucket-says-when-on-embeddings': {
      says: 'Sends Retry-After when a key is out of requests on the embeddings route alone.',
      exercisedBy: ['router.rate-limit-rules.exhausted-bucket-reaches-no-engine'],
      patch: answering(
        every(isEmptyBucket, (_reply, { path }) => path === '/v1/embeddings'),
        (reply) => withHeader(reply, 'Retry-After', '1'),
      ),
    },
    'empty-bucket-says-a-minute': {
      says: 'Sends a minute in Retry-After when a key is out of requests.',
      besides: ['router.rate-limit-rules.exhausted-bucket-no-retry-after'],
      patch: answering(isEmptyBucket, (reply) => withHeader(reply, 'Retry-After', '60')),
    },
  },
  'router.rate-limit-rules.exhausted-bucket-no-retry-after': {
    'empty-bucket-says-when': {
      says: 'Sends Retry-After when a key is out of requests.',
      besides: ['router.response-headers.no-retry-after-on-plain-rate-limit'],
      patch: answering(isEmptyBucket, (reply) => withHeader(reply, 'Retry-After', '1')),
    },
  },
  'router.rate-limit-rules.exhausted-bucket-reaches-no-engine': {
    'empty-bucket-looked-at-late': {
      says: 'Asks an engine before it refuses a key that is out of requests.',
      patch: refusingLate(
        (rules, mark) => ({
          gives: (level, amount, what) => what === 'request' || rules.gives(level, amount, what),
          rateHeaders: (remaining, status, failure, context) => {
            if ((remaining.requests ?? 0) < 0) mark(context);
            return rules.rateHeaders(remaining, status, failure, context);
          },
        }),
        (reply) => refusal(reply, 429, 'rate_limit_exceeded', { [REMAINING]: '0' }),
      ),
    },
  },
  'router.rate-limit-rules.refill-continuous': {
    'bucket-refills-once-a-minute': (rules) => {
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
    'bucket-refills-at-a-tenth': replace('refill', (original, bucket, now) =>
      Math.min(bucket.size, bucket.level + (original(bucket, now) - bucket.level) / 10),
    ),
  },
  'router.rate-limit-rules.refill-rate': {
    'bucket-refills-at-half-its-rate': replace('refill', (original, bucket, now) =>
      Math.min(bucket.size, bucket.level + (original(bucket, now) - bucket.level) / 2),
    ),
  },
  'router.rate-limit-rules.refill-gradual': {
    'bucket-refills-whole-at-once': (rules) => {
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
  },
  'router.rate-limit-rules.bucket-per-key': {
    'empty-bucket-refuses-everybody': {
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
  },
  'router.rate-limit-rules.undeclared-model': {
    'undeclared-model-forbidden': {
      says: 'Says model_forbidden of a model that the quotas of a key do not list.',
      patch: answering(isUndeclared, (reply) => refusal(reply, 403, 'model_forbidden')),
    },
    'undeclared-model-is-token-limit': answering(isUndeclared, (reply) =>
      withError(reply, { code: 'token_limit_exceeded' }),
    ),
  },
  'router.rate-limit-rules.declared-model-served': {
    'declared-model-refused': {
      says: 'Takes every model for one that the quotas of a key do not list.',
      patch: unless('quotaOf', (key) => key.perModel !== undefined, 'undeclared'),
    },
  },
  'router.rate-limit-rules.undeclared-model-no-retry-after': {
    'undeclared-model-says-when': answering(isUndeclared, (reply) =>
      withHeader(reply, 'Retry-After', '1'),
    ),
  },
  'router.rate-limit-rules.undeclared-model-reaches-no-engine': {
    'undeclared-model-looked-at-late': refusingLate(
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
  },
  'router.rate-limit-rules.undeclared-model-stays': {
    'undeclared-model-lifts': {
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
  },
});
