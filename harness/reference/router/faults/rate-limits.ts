/** Request buckets and quotas per model that do not hold, or hold too well. */

import { declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, every, refusal, withError } from './answering.ts';
import type { When } from './answering.ts';
import { refusingLate } from './late.ts';

const ID = 'router.rate-limit-rules';
const PLAIN_RETRY_AFTER = 'router.response-headers.no-retry-after-on-plain-rate-limit';
const REMAINING = 'X-RateLimit-Remaining-Requests';

/** Answers of the key whose bucket is small, refused for it. */
const isEmptyBucket: When = (reply, { key }) =>
  reply.status === 429 && key?.name === 'requestsPerMinute';
export const isUndeclared: When = (reply, { key }) =>
  reply.status === 429 && key?.name === 'perModel';

export const rateLimitFaults = declareFaults<RouterRules>([
  {
    name: 'bucket-never-empty',
    summary: 'Counts requests and refuses none.',
    breaks: [`${ID}.exhausted-bucket`],
    patch: (rules) => ({
      ...rules,
      gives: (level, amount, what) => what === 'request' || rules.gives(level, amount, what),
    }),
  },
  {
    name: 'requests-cost-two',
    summary: 'Takes two requests of the bucket for each.',
    breaks: [`${ID}.request-costs-one`],
    patch: (rules) => ({ ...rules, requestCost: () => 2 }),
  },
  {
    name: 'streams-cost-two-requests',
    summary: 'Takes two requests of the bucket for each stream.',
    breaks: [`${ID}.request-costs-one`],
    patch: (rules) => ({
      ...rules,
      requestCost: (context) => (context.stream ? 2 : 1) * rules.requestCost(context),
    }),
  },
  {
    name: 'empty-bucket-is-no-capacity',
    summary: 'Says no_capacity when a key is out of requests.',
    breaks: [`${ID}.exhausted-bucket`],
    patch: answering(isEmptyBucket, (reply) => refusal(reply, 503, 'no_capacity')),
  },
  {
    name: 'empty-bucket-is-concurrency-limit',
    summary: 'Says concurrency_limit_exceeded when a key is out of requests.',
    breaks: [`${ID}.exhausted-bucket`],
    patch: answering(isEmptyBucket, (reply) =>
      refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
    ),
  },
  {
    name: 'empty-bucket-says-nothing-for-streams',
    summary: 'Leaves out what remains when a key is out of requests and asks for a stream.',
    breaks: [`${ID}.exhausted-bucket-remaining-zero`],
    patch: answering(
      every(isEmptyBucket, (_reply, { stream }) => stream),
      (reply) => withHeader(reply, REMAINING, undefined),
    ),
  },
  {
    name: 'empty-bucket-says-when-on-embeddings',
    summary: 'Sends Retry-After when a key is out of requests on the embeddings route alone.',
    breaks: [PLAIN_RETRY_AFTER],
    exercisedBy: ['router.rate-limit-rules.exhausted-bucket-reaches-no-engine'],
    patch: answering(
      every(isEmptyBucket, (_reply, { path }) => path === '/v1/embeddings'),
      (reply) => withHeader(reply, 'Retry-After', '1'),
    ),
  },
  {
    name: 'empty-bucket-says-nothing',
    summary: 'Leaves out what remains when a key is out of requests.',
    breaks: [`${ID}.exhausted-bucket-remaining-zero`],
    patch: answering(isEmptyBucket, (reply) => withHeader(reply, REMAINING, undefined)),
  },
  {
    name: 'empty-bucket-says-one-remains',
    summary: 'Says that one request remains when a key is out of them.',
    breaks: [`${ID}.exhausted-bucket-remaining-zero`],
    patch: answering(isEmptyBucket, (reply) => withHeader(reply, REMAINING, '1')),
  },
  {
    name: 'empty-bucket-says-when',
    summary: 'Sends Retry-After when a key is out of requests.',
    breaks: [`${ID}.exhausted-bucket-no-retry-after`, PLAIN_RETRY_AFTER],
    patch: answering(isEmptyBucket, (reply) => withHeader(reply, 'Retry-After', '1')),
  },
  {
    name: 'empty-bucket-says-a-minute',
    summary: 'Sends a minute in Retry-After when a key is out of requests.',
    breaks: [PLAIN_RETRY_AFTER, `${ID}.exhausted-bucket-no-retry-after`],
    patch: answering(isEmptyBucket, (reply) => withHeader(reply, 'Retry-After', '60')),
  },
  {
    name: 'empty-bucket-looked-at-late',
    summary: 'Asks an engine before it refuses a key that is out of requests.',
    breaks: [`${ID}.exhausted-bucket-reaches-no-engine`],
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
  {
    name: 'bucket-refills-once-a-minute',
    summary: 'Fills a bucket when a minute is over, and not before.',
    breaks: [`${ID}.refill-continuous`],
    patch: (rules) => {
      // Its minutes begin with the first request: with those of a clock, one could begin in the middle of a proof.
      let from: number | undefined;
      return {
        ...rules,
        refill: (bucket, now) => {
          if (bucket.size > 10_000 || bucket.size === 2_000) return rules.refill(bucket, now);
          const start = (from ??= now);
          const minuteOf = (time: number): number => Math.floor((time - start) / 60_000);
          return minuteOf(now) > minuteOf(bucket.at) ? bucket.size : bucket.level;
        },
      };
    },
  },
  {
    name: 'bucket-refills-a-minute-after-it-was-empty',
    summary: 'Locks a key out for a minute once it is out of requests.',
    breaks: [`${ID}.refill-continuous`],
    patch: (rules) => {
      let emptyAt = 0;
      return {
        ...rules,
        refill: (bucket, now) => {
          if (bucket.size > 10_000 || bucket.size === 2_000) return rules.refill(bucket, now);
          if (bucket.level < 1 && emptyAt === 0) emptyAt = now;
          if (emptyAt === 0 || now - emptyAt >= 60_000) return rules.refill(bucket, now);
          return Math.min(bucket.level, 0.5);
        },
      };
    },
  },
  {
    name: 'bucket-refills-at-a-tenth',
    summary: 'Fills a bucket at a tenth of its rate.',
    breaks: [`${ID}.refill-continuous`],
    patch: (rules) => ({
      ...rules,
      refill: (bucket, now) =>
        Math.min(bucket.size, bucket.level + (rules.refill(bucket, now) - bucket.level) / 10),
    }),
  },
  {
    name: 'bucket-refills-at-half-its-rate',
    summary: 'Fills a bucket at half of its rate.',
    breaks: [`${ID}.refill-rate`],
    patch: (rules) => ({
      ...rules,
      refill: (bucket, now) =>
        Math.min(bucket.size, bucket.level + (rules.refill(bucket, now) - bucket.level) / 2),
    }),
  },
  {
    name: 'bucket-refills-whole-at-once',
    summary: 'Fills a bucket whole as soon as one request is due.',
    breaks: [`${ID}.refill-gradual`],
    patch: (rules) => {
      let emptyAt: number | undefined;
      return {
        ...rules,
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
  {
    name: 'empty-bucket-refuses-everybody',
    summary: 'Refuses other keys too for a moment once one key is out of requests.',
    breaks: [`${ID}.bucket-per-key`],
    patch: (rules) => {
      let until = 0;
      return {
        ...rules,
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
  {
    name: 'undeclared-model-forbidden',
    summary: 'Says model_forbidden of a model that the quotas of a key do not list.',
    breaks: [`${ID}.undeclared-model`],
    patch: answering(isUndeclared, (reply) => refusal(reply, 403, 'model_forbidden')),
  },
  {
    name: 'undeclared-model-unlimited',
    summary: 'Takes a model that the quotas of a key do not list for unlimited.',
    breaks: [`${ID}.undeclared-model`, `${ID}.undeclared-model-reaches-no-engine`],
    patch: (rules) => ({
      ...rules,
      quotaOf: (key, model) => {
        const quota = rules.quotaOf(key, model);
        return quota === 'undeclared'
          ? { requestsPerMinute: undefined, tokensPerDay: undefined }
          : quota;
      },
    }),
  },
  {
    name: 'declared-model-refused',
    summary: 'Takes every model for one that the quotas of a key do not list.',
    breaks: [`${ID}.declared-model-served`],
    patch: (rules) => ({
      ...rules,
      quotaOf: (key, model) =>
        key.perModel === undefined ? rules.quotaOf(key, model) : 'undeclared',
    }),
  },
  {
    name: 'undeclared-model-says-when',
    summary: 'Sends Retry-After with the refusal of an undeclared model.',
    breaks: [`${ID}.undeclared-model-no-retry-after`],
    patch: answering(isUndeclared, (reply) => withHeader(reply, 'Retry-After', '1')),
  },
  {
    name: 'undeclared-model-looked-at-late',
    summary: 'Asks an engine before it refuses an undeclared model.',
    breaks: [`${ID}.undeclared-model-reaches-no-engine`],
    patch: refusingLate(
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
  {
    name: 'undeclared-model-lifts',
    summary: 'Lets an undeclared model pass a second after it was refused.',
    breaks: [`${ID}.undeclared-model-stays`],
    patch: (rules) => {
      let refusedAt: number | undefined;
      return {
        ...rules,
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
  {
    name: 'undeclared-model-is-token-limit',
    summary: 'Says token_limit_exceeded of an undeclared model.',
    breaks: [`${ID}.undeclared-model`],
    patch: answering(isUndeclared, (reply) => withError(reply, { code: 'token_limit_exceeded' })),
  },
]);
