/** Serverless rates of a key that do not hold, are told in the wrong way, or hold for others too. */

import { type RequestContext, RouterFailure } from '../model.ts';
import { type Reply, withHeader } from '../../http.ts';
import { amend, answering, errorIn, faultTable, forces, on, refusal, type When } from './words.ts';
import { letGo, refusingLate } from './words-limits.ts';

/** Refusals of one of the rates, by what the reference says of them. */
function refusedFor(what: 'occupancy share' | 'input token' | 'output token'): When {
  return (reply) => reply.status === 429 && String(errorIn(reply)['message']).includes(what);
}

const rateKinds = [
  ['occupancy', 'occupancy share'],
  ['input-rate', 'input token'],
  ['output-rate', 'output token'],
] as const;

/** Retry-After of one kind alone: missing, or in a form that is not whole seconds. */
const retryForms = [
  ['occupancy', undefined],
  ['input-rate', undefined],
  ['output-rate', undefined],
  ['occupancy', '0.5'],
  ['input-rate', '1.5'],
  ['output-rate', 'Wed, 21 Oct 2015 07:28:00 GMT'],
] as const;

const lateRefusal = (reply: Reply, _context: RequestContext): Reply =>
  refusal(reply, 429, 'rate_limit_exceeded', { 'Retry-After': '1' });

const retryAfter = retryForms.flatMap(([slug, value]) => {
  const what = rateKinds.find(([kind]) => kind === slug)?.[1] ?? 'occupancy share';
  return faultTable('router.rate-limit-rules', {
    [`serverless-${slug}-retry-after: serverless-${slug}-${value === undefined ? 'without-retry-after' : 'retry-after-no-integer'}`]:
      {
        besides: value === undefined ? [] : ['router.response-headers.retry-after-seconds'],
        patch: answering(refusedFor(what), (reply) => withHeader(reply, 'Retry-After', value)),
      },
  });
});

export const serverlessFaults = [
  ...faultTable('router.rate-limit-rules', {
    'serverless-occupancy: share-let-go-when-a-stream-begins': letGo(
      'share',
      '/v1/chat/completions',
      'scripted-serverless',
    ),
    'serverless-occupancy + serverless-occupancy-current: serverless-occupancy-waits': () => ({
      waitsForShare: () => true,
    }),
    'serverless-occupancy: serverless-occupancy-is-concurrency-limit': {
      besides: ['serverless-occupancy-current'],
      patch: answering(refusedFor('occupancy share'), (reply) =>
        refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
      ),
    },
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
    'serverless-occupancy-current: serverless-occupancy-looked-at-late': refusingLate(
      (rules, mark) => ({
        withinShare: (used, weight, share, context) => {
          if (!rules.withinShare(used, weight, share, context)) mark(context);
          return true;
        },
      }),
      lateRefusal,
    ),
    'serverless-output-rate-later: serverless-output-looked-at-late': refusingLate(
      (rules, mark) => ({
        exhausted: (level, context) => {
          if (rules.exhausted(level, context)) mark(context);
          return false;
        },
      }),
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
    'serverless-output-rate-streams: serverless-output-of-streams-free': forces(
      'chargesRate',
      false,
      on({ stream: true }),
    ),
    'serverless-per-key: serverless-rates-shared-by-keys': () => ({
      serverlessAccount: (_key, model) => model,
    }),
  }),
  ...retryAfter,
];
