/** Request buckets, quotas per model and serverless rates that are not enforced, or refuse too much. */

import { type Reply, withHeader } from '../../http.ts';
import { type RequestContext, RouterFailure } from '../model.ts';
import {
  amend,
  answering,
  chained,
  errorIn,
  every,
  fails,
  faultTable,
  forces,
  on,
  onMessages,
  refusal,
  replace,
  REQUESTS,
  type When,
  withError,
  gathered,
  rows,
} from './words.ts';
import { askedBy, isEmptyBucket, kinds, late, refusingLate, without } from './words-limits.ts';

/** Quotas of a key, each with the requirement that a request over it breaks. */
const keyQuotas = [
  ['requests', 'exhausted-bucket'],
  ['share', 'serverless-occupancy-current'],
  ['output-rate', 'serverless-output-rate-later'],
  ['input-rate', 'serverless-input-rate-current'],
] as const;

/** The quotas of an unlimited key. */
const unlimited = { requestsPerMinute: undefined, tokensPerDay: undefined } as const;

const inMessageStreams = on({ path: '/v1/messages', stream: true });

const isUndeclared: When = (reply, { key }) => reply.status === 429 && key?.name === 'perModel';

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

const lateRefusal = (reply: Reply, _context: RequestContext): Reply =>
  refusal(reply, 429, 'rate_limit_exceeded', { 'Retry-After': '1' });

/** One kind of refusal has no Retry-After, or one that is not in whole seconds. */
const retryAfter = gathered(
  [
    ['occupancy', 'occupancy share', '0.5'],
    ['input-rate', 'input token', '1.5'],
    ['output-rate', 'output token', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ],
  ([slug, what, odd]) => {
    const saying = (value: string | undefined) =>
      answering(refusedFor(what), (reply) => withHeader(reply, 'Retry-After', value));
    const aim = `serverless-${slug}-retry-after`;
    return {
      [`${aim}: serverless-${slug}-without-retry-after`]: saying(undefined),
      [`${aim} + router.response-headers.retry-after-seconds: ${aim}-no-integer`]: saying(odd),
    };
  },
);

export const rateLimitRulesFaults = faultTable('router.rate-limit-rules', {
  'undeclared-model-reaches-no-engine + undeclared-model: undeclared-model-unlimited-for-streams':
    without('declaration', on({ stream: true })),
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
    (reply) => refusal(reply, 429, 'rate_limit_exceeded'),
  ),
  'exhausted-bucket: streams-have-a-bucket-of-their-own': forces(
    'replicaOf',
    1,
    on({ key: 'requestsPerMinute', stream: true }),
  ),
  'exhausted-bucket: messages-have-a-bucket-of-their-own': forces(
    'replicaOf',
    1,
    on({ key: 'requestsPerMinute', path: '/v1/messages' }),
  ),
  'exhausted-bucket: empty-bucket-is-concurrency-limit': answering(isEmptyBucket, (reply) =>
    refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
  ),
  'request-costs-one: streams-cost-no-request': forces('requestCost', 0, on({ stream: true })),
  'request-costs-one: streams-cost-two-requests': replace(
    'requestCost',
    (original, context) => (context.stream ? 2 : 1) * original(context),
  ),
  'exhausted-bucket-remaining-zero: empty-bucket-says-nothing-for-streams': answering(
    every(isEmptyBucket, on({ stream: true })),
    (reply) => withHeader(reply, REQUESTS, undefined),
  ),
  'exhausted-bucket-remaining-zero: empty-bucket-says-nothing-on-messages': answering(
    every(isEmptyBucket, onMessages),
    (reply) => withHeader(reply, REQUESTS, undefined),
  ),
  'exhausted-bucket-remaining-zero: empty-bucket-says-one-remains': answering(
    isEmptyBucket,
    (reply) => withHeader(reply, REQUESTS, '1'),
  ),
  'exhausted-bucket-no-retry-after + router.response-headers.no-retry-after-on-plain-rate-limit: empty-bucket-says-when':
    answering(isEmptyBucket, (reply) => withHeader(reply, 'Retry-After', '1')),
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
  'refill-continuous: bucket-refills-at-a-tenth': replace('refill', (original, bucket, now) =>
    Math.min(bucket.size, bucket.level + (original(bucket, now) - bucket.level) / 10),
  ),
  'refill-rate: bucket-refills-at-half-its-rate': replace('refill', (original, bucket, now) =>
    Math.min(bucket.size, bucket.level + (original(bucket, now) - bucket.level) / 2),
  ),
  'refill-rate: bucket-refills-at-twice-its-rate': replace('refill', (original, bucket, now) =>
    Math.min(bucket.size, bucket.level + 2 * (original(bucket, now) - bucket.level)),
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
  ...rows(
    (where) =>
      answering(every(isUndeclared, where), (reply) => refusal(reply, 403, 'model_forbidden')),
    {
      'undeclared-model: undeclared-model-forbidden-on-messages': onMessages,
      'undeclared-model: undeclared-model-forbidden-in-message-streams': inMessageStreams,
    },
  ),
  'undeclared-model: undeclared-model-unknown-in-message-streams': answering(
    every(isUndeclared, inMessageStreams),
    (reply) => refusal(reply, 404, 'model_not_found'),
  ),
  'declared-model-served: declared-model-refused': forces(
    'quotaOf',
    'undeclared',
    (key) => key.perModel !== undefined,
  ),
  'undeclared-model-no-retry-after: undeclared-model-says-when': answering(isUndeclared, (reply) =>
    withHeader(reply, 'Retry-After', '1'),
  ),
  'undeclared-model-no-retry-after: undeclared-model-says-when-on-messages': answering(
    every(isUndeclared, on({ path: '/v1/messages' })),
    (reply) => withHeader(reply, 'Retry-After', '1'),
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
  'serverless-occupancy + serverless-occupancy-current: serverless-occupancy-is-concurrency-limit':
    answering(refusedFor('occupancy share'), (reply) =>
      refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
    ),
  'serverless-input-rate + serverless-input-rate-current: serverless-input-unlimited': forces(
    'gives',
    true,
    (_level, _amount, what) => what === 'input',
  ),
  'serverless-input-rate: serverless-input-is-token-limit': answering(
    refusedFor('input token'),
    (reply) => refusal(reply, 429, 'token_limit_exceeded'),
  ),
  'serverless-input-rate-current: serverless-input-refuses-the-next': forces(
    'gives',
    (level) => level > 0,
    (_level, _amount, what) => what === 'input',
  ),
  'serverless-output-rate + serverless-output-rate-later: serverless-output-unlimited': () => ({
    exhausted: () => false,
  }),
  'serverless-output-rate: serverless-output-is-no-capacity': answering(
    refusedFor('output token'),
    (reply) => refusal(reply, 503, 'no_capacity'),
  ),
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
    on({ stream: true }),
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
