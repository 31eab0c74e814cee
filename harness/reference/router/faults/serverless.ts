/** Serverless rates of a key that do not hold, are told in the wrong way, or hold for others too. */

import type { Fault } from '../../fault.ts';
import { type Reply, withHeader } from '../../http.ts';
import { type RequestContext, RouterFailure } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { amend, answering, errorIn, faultTable, refusal, unless, type When } from './answering.ts';
import { refusingLate } from './late.ts';

const ID = 'router.rate-limit-rules';

/** Refusals of one of the rates, by what the reference says of them. */
function refusedFor(what: 'occupancy share' | 'input token' | 'output token'): When {
  return (reply) => reply.status === 429 && String(errorIn(reply)['message']).includes(what);
}

const kinds = [
  ['occupancy', 'occupancy share'],
  ['input-rate', 'input token'],
  ['output-rate', 'output token'],
] as const;

/** Retry-After of one kind alone: missing, or in a form that is not whole seconds. */
const forms = [
  ['occupancy', undefined],
  ['input-rate', undefined],
  ['output-rate', undefined],
  ['occupancy', '0.5'],
  ['input-rate', '1.5'],
  ['output-rate', 'Wed, 21 Oct 2015 07:28:00 GMT'],
] as const;

const retryAfter = forms.flatMap(([slug, value]) => {
  const what = kinds.find(([kind]) => kind === slug)?.[1] ?? 'occupancy share';
  return faultTable({
    [`${ID}.serverless-${slug}-retry-after`]: {
      [`serverless-${slug}-${value === undefined ? 'without-retry-after' : 'retry-after-no-integer'}`]:
        {
          besides: value === undefined ? [] : ['router.response-headers.retry-after-seconds'],
          patch: answering(refusedFor(what), (reply) => withHeader(reply, 'Retry-After', value)),
        },
    },
  });
});

const lateRefusal = (reply: Reply, _context: RequestContext): Reply =>
  refusal(reply, 429, 'rate_limit_exceeded', { 'Retry-After': '1' });

const others = faultTable({
  'router.rate-limit-rules.serverless-occupancy': {
    'serverless-occupancy-unlimited': {
      says: 'Lets a serverless key have any number of tokens in flight.',
      besides: ['router.rate-limit-rules.serverless-occupancy-current'],
      patch: () => ({ withinShare: () => true }),
    },
    'serverless-occupancy-waits': {
      says: 'Keeps requests over the occupancy share of a key waiting until it has room.',
      besides: ['router.rate-limit-rules.serverless-occupancy-current'],
      patch: () => ({ waitsForShare: () => true }),
    },
    'serverless-occupancy-is-concurrency-limit': {
      besides: ['router.rate-limit-rules.serverless-occupancy-current'],
      patch: answering(refusedFor('occupancy share'), (reply) =>
        refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
      ),
    },
  },
  'router.rate-limit-rules.serverless-input-rate': {
    'serverless-input-unlimited': {
      says: 'Counts no input tokens of a serverless key.',
      besides: ['router.rate-limit-rules.serverless-input-rate-current'],
      patch: unless('gives', (_level, _amount, what) => what === 'input', true),
    },
    'serverless-input-is-token-limit': answering(refusedFor('input token'), (reply) =>
      refusal(reply, 429, 'token_limit_exceeded'),
    ),
  },
  'router.rate-limit-rules.serverless-input-rate-current': {
    'serverless-input-refuses-the-next': unless(
      'gives',
      (_level, _amount, what) => what === 'input',
      (level) => level > 0,
    ),
  },
  'router.rate-limit-rules.serverless-output-rate': {
    'serverless-output-unlimited': {
      says: 'Counts no output tokens of a serverless key.',
      besides: ['router.rate-limit-rules.serverless-output-rate-later'],
      patch: () => ({ exhausted: () => false }),
    },
    'serverless-output-is-no-capacity': answering(refusedFor('output token'), (reply) =>
      refusal(reply, 503, 'no_capacity'),
    ),
  },
  'router.rate-limit-rules.serverless-occupancy-current': {
    'serverless-occupancy-looked-at-late': {
      says: 'Asks an engine before it refuses a key over its occupancy share.',
      patch: refusingLate(
        (rules, mark) => ({
          withinShare: (used, weight, share, context) => {
            if (!rules.withinShare(used, weight, share, context)) mark(context);
            return true;
          },
        }),
        lateRefusal,
      ),
    },
  },
  'router.rate-limit-rules.serverless-output-rate-later': {
    'serverless-output-looked-at-late': {
      says: 'Asks an engine before it refuses a key whose output token rate is exhausted.',
      patch: refusingLate(
        (rules, mark) => ({
          exhausted: (level, context) => {
            if (rules.exhausted(level, context)) mark(context);
            return false;
          },
        }),
        lateRefusal,
      ),
    },
  },
  'router.rate-limit-rules.serverless-output-rate-delivered': {
    'serverless-output-refuses-its-own-answer': amend('charge', (level, bucket, tokens) => {
      if (tokens <= bucket.level) return level;
      bucket.level = level;
      const text = 'the output token rate of the key is exceeded';
      throw new RouterFailure('rate_limit_exceeded', text, { quota: 'serverless' });
    }),
  },
  'router.rate-limit-rules.serverless-output-rate-streams': {
    'serverless-output-of-streams-free': unless('chargesRate', (context) => context.stream, false),
  },
  'router.rate-limit-rules.serverless-per-key': {
    'serverless-rates-shared-by-keys': () => ({ serverlessAccount: (_key, model) => model }),
  },
});

export const serverlessFaults: readonly Fault<RouterRules>[] = [...retryAfter, ...others];
