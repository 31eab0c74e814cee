/** Request buckets, quotas per model and serverless rates that are not enforced, or refuse too much. */

import type { Reply } from '../../http.ts';
import { RouterFailure } from '../model.ts';
import {
  amend,
  answering,
  askedBy,
  asStream,
  chained,
  each,
  errorIn,
  every,
  fails,
  faultTable,
  forces,
  gathered,
  headed,
  isEmptyBucket,
  kinds,
  MESSAGES,
  on,
  onMessages,
  refusal,
  refused,
  replace,
  REQUESTS,
  RETRY_AFTER,
  rows,
  type When,
  withError,
} from './words.ts';
import { late, refusingLate, without } from './words-limits.ts';

/** Quotas of a key, each with the requirement that a request over it breaks. */
const keyQuotas = [
  ['requests', 'exhausted-bucket'],
  ['share', 'serverless-occupancy-current'],
  ['output-rate', 'serverless-output-rate-later'],
  ['input-rate', 'serverless-input-rate-current'],
] as const;

/** The quotas of an unlimited key. */
const unlimited = { requestsPerMinute: undefined, tokensPerDay: undefined } as const;

const KEY = 'requestsPerMinute';

const isEmptyInStreams = every(isEmptyBucket, asStream);
const isEmptyOnMessages = every(isEmptyBucket, onMessages);
const isUndeclared = on({ status: 429, key: 'perModel' });
const isUndeclaredOnMessages = every(isUndeclared, onMessages);
const isUndeclaredThereInStreams = every(isUndeclaredOnMessages, asStream);

const ofKeys = gathered(kinds, ([slug, where]) =>
  gathered(keyQuotas, ([limit, aim]) => ({
    // For the messages route, token limits are an implied requirement of their own.
    [`${slug === 'messages' && limit !== 'requests' ? 'serverless-on-messages' : aim}: ${limit}-unlimited-for-${slug}`]:
      without(limit, where),
  })),
);

/** True for refusals of one of the rates, recognized by the message of the reference router. */
function refusedFor(what: 'occupancy share' | 'input token' | 'output token'): When {
  return (reply) => reply.status === 429 && String(errorIn(reply)['message']).includes(what);
}

const lateRefusal = (reply: Reply): Reply =>
  refusal(reply, 'rate_limit_exceeded', { [RETRY_AFTER]: '1' });

/** One kind of refusal has no Retry-After, or one that is not in whole seconds. */
const retryAfter = gathered(
  [
    ['occupancy', 'occupancy share', '0.5'],
    ['input-rate', 'input token', '1.5'],
    ['output-rate', 'output token', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ],
  ([slug, what, odd]) => {
    const aim = `serverless-${slug}-retry-after`;
    return {
      ...headed(RETRY_AFTER, undefined, {
        [`${aim}: serverless-${slug}-without-retry-after`]: refusedFor(what),
      }),
      ...headed(RETRY_AFTER, odd, {
        [`${aim} + router.response-headers.retry-after-seconds: ${aim}-no-integer`]:
          refusedFor(what),
      }),
    };
  },
);

export const rateLimitRulesFaults = faultTable('router.rate-limit-rules', {
  'undeclared-model-reaches-no-engine + undeclared-model: undeclared-model-unlimited-for-streams':
    without('declaration', asStream),
  'undeclared-model-reaches-no-engine: undeclared-model-looked-at-late': refusingLate(
    (rules, mark) => ({
      quotaOf: (key, model) => {
        const quota = rules.quotaOf(key, model);
        return quota === 'undeclared' ? unlimited : quota;
      },
      capable: (model, route, context) => {
        const { key } = context;
        if (key !== undefined && rules.quotaOf(key, model.id) === 'undeclared') mark(context);
        return rules.capable(model, route, context);
      },
    }),
    'rate_limit_exceeded',
  ),
  ...each.forces('replicaOf', 1, {
    'exhausted-bucket: streams-have-a-bucket-of-their-own': on({ key: KEY, stream: true }),
    'exhausted-bucket: messages-have-a-bucket-of-their-own': on({ key: KEY, path: MESSAGES }),
  }),
  ...refused('concurrency_limit_exceeded', {
    'exhausted-bucket: empty-bucket-is-concurrency-limit': isEmptyBucket,
    'serverless-occupancy + serverless-occupancy-current: serverless-occupancy-is-concurrency-limit':
      refusedFor('occupancy share'),
  }),
  'request-costs-one: streams-cost-no-request': forces('requestCost', 0, asStream),
  'request-costs-one: streams-cost-two-requests': replace(
    'requestCost',
    (original, context) => (context.stream ? 2 : 1) * original(context),
  ),
  ...headed(REQUESTS, undefined, {
    'exhausted-bucket-remaining-zero: empty-bucket-says-nothing-for-streams': isEmptyInStreams,
    'exhausted-bucket-remaining-zero: empty-bucket-says-nothing-on-messages': isEmptyOnMessages,
  }),
  ...headed(REQUESTS, '1', {
    'exhausted-bucket-remaining-zero: empty-bucket-says-one-remains': isEmptyBucket,
  }),
  ...headed(RETRY_AFTER, '1', {
    'exhausted-bucket-no-retry-after + router.response-headers.no-retry-after-on-plain-rate-limit: empty-bucket-says-when':
      isEmptyBucket,
    'undeclared-model-no-retry-after: undeclared-model-says-when': isUndeclared,
    'undeclared-model-no-retry-after: undeclared-model-says-when-on-messages':
      isUndeclaredOnMessages,
  }),
  'exhausted-bucket-reaches-no-engine: empty-bucket-looked-at-late': refusingLate(
    (rules, mark) => ({
      gives: (level, amount, what) => what === 'request' || rules.gives(level, amount, what),
      rateHeaders: (remaining, status, failure, context) => {
        if ((remaining.requests ?? 0) < 0) mark(context);
        return rules.rateHeaders(remaining, status, failure, context);
      },
    }),
    (reply) => refusal(reply, 'rate_limit_exceeded', { [REQUESTS]: '0' }),
  ),
  'refill-continuous: bucket-refills-once-a-minute': (rules) => {
    // Minutes count from the first request, since a clock minute might begin in the middle of a proof.
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
  ...rows(
    (times: number) =>
      replace('refill', (original, bucket, now) =>
        Math.min(bucket.size, bucket.level + times * (original(bucket, now) - bucket.level)),
      ),
    {
      'refill-continuous: bucket-refills-at-a-tenth': 1 / 10,
      'refill-rate: bucket-refills-at-half-its-rate': 1 / 2,
      'refill-rate: bucket-refills-at-twice-its-rate': 2,
    },
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
  // An empty bucket of one key also refuses the other keys for a moment.
  'bucket-per-key: empty-bucket-refuses-everybody': (rules) => {
    let until = 0;
    return chained(
      amend('gives', (given, _level, _amount, what) => {
        if (what === 'request' && !given) until = Date.now() + 40;
        return given;
      }),
      fails(
        'capable',
        () => new RouterFailure('rate_limit_exceeded', 'too many', { quota: 'bucket' }),
        (_model, _route, { key }) => key?.requestsPerMinute === undefined && Date.now() < until,
      ),
    )(rules);
  },
  'undeclared-model: undeclared-model-is-token-limit': answering(isUndeclared, (reply) =>
    withError(reply, { code: 'token_limit_exceeded' }),
  ),
  ...refused('model_forbidden', {
    'undeclared-model: undeclared-model-forbidden-on-messages': isUndeclaredOnMessages,
    'undeclared-model: undeclared-model-forbidden-in-message-streams': isUndeclaredThereInStreams,
  }),
  ...refused('model_not_found', {
    'undeclared-model: undeclared-model-unknown-in-message-streams': isUndeclaredThereInStreams,
  }),
  'declared-model-served: declared-model-refused': forces(
    'quotaOf',
    'undeclared',
    (key) => key.perModel !== undefined,
  ),
  'undeclared-model-stays: undeclared-model-lifts': (rules) => {
    let refusedAt: number | undefined;
    return amend('quotaOf', (quota) => {
      if (quota !== 'undeclared') return quota;
      refusedAt ??= Date.now();
      return Date.now() - refusedAt < 1_000 ? quota : unlimited;
    })(rules);
  },
  'serverless-occupancy + serverless-occupancy-current: serverless-occupancy-waits': () => ({
    waitsForShare: () => true,
  }),
  'serverless-input-rate + serverless-input-rate-current: serverless-input-unlimited': forces(
    'gives',
    true,
    (_level, _amount, what) => what === 'input',
  ),
  ...refused('token_limit_exceeded', {
    'serverless-input-rate: serverless-input-is-token-limit': refusedFor('input token'),
  }),
  ...refused('no_capacity', {
    'serverless-output-rate: serverless-output-is-no-capacity': refusedFor('output token'),
  }),
  'serverless-input-rate-current: serverless-input-refuses-the-next': forces(
    'gives',
    (level) => level > 0,
    (_level, _amount, what) => what === 'input',
  ),
  'serverless-output-rate + serverless-output-rate-later: serverless-output-unlimited': () => ({
    exhausted: () => false,
  }),
  'serverless-occupancy-current: serverless-occupancy-looked-at-late': late(
    'withinShare',
    false,
    lateRefusal,
  ),
  'serverless-output-rate-later: serverless-output-looked-at-late': late(
    'exhausted',
    true,
    lateRefusal,
  ),
  'serverless-output-rate-delivered: serverless-output-refuses-its-own-answer': amend(
    'charge',
    (level, bucket, tokens) => {
      if (tokens <= bucket.level) return level;
      bucket.level = level;
      const text = 'the output token rate of the key is exceeded';
      throw new RouterFailure('rate_limit_exceeded', text, { quota: 'serverless' });
    },
  ),
  'serverless-output-rate-delivered: serverless-output-charged-up-front': chained(
    replace('exhausted', (original, level, context) => original(level - askedBy(context), context)),
    amend('charge', (_level, { level }, _tokens, context) => level - askedBy(context)),
  ),
  'serverless-output-rate-streams: serverless-output-of-streams-free': forces(
    'chargesRate',
    false,
    asStream,
  ),
  'serverless-per-key: serverless-share-full-for-all-keys': (rules) => {
    let isFull = false;
    return {
      withinShare: (taken, weight, share, context) => {
        const fits = rules.withinShare(taken, weight, share, context);
        if (context.key?.name !== 'second') isFull = !fits;
        return fits && !isFull;
      },
    };
  },
  'serverless-per-key: serverless-rates-shared-by-keys': () => ({
    serverlessAccount: (_key, model) => model,
  }),
  'serverless-per-key: short-of-input-for-the-next-key-as-well': (rules) => {
    let lastLevel = Infinity;
    return {
      gives: (level, amount, what) => {
        const least = what === 'input' ? Math.min(level, lastLevel) : level;
        if (what === 'input') lastLevel = level;
        return rules.gives(least, amount, what);
      },
    };
  },
  ...ofKeys,
  ...retryAfter,
});
