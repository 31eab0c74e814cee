/** Serverless rates of a key that do not hold, are told in the wrong way, or hold for others too. */

import { type Fault, declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import type { Reply } from '../../http/reply.ts';
import type { RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, errorIn, refusal } from './answering.ts';
import type { When } from './answering.ts';
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

const retryAfter = forms.map(([slug, value]): Fault<RouterRules> => {
  const what = kinds.find(([kind]) => kind === slug)?.[1] ?? 'occupancy share';
  return {
    name: `serverless-${slug}-${value === undefined ? 'without-retry-after' : 'retry-after-no-integer'}`,
    summary: `Says ${value ?? 'nothing'} in Retry-After when a serverless ${slug} is exceeded.`,
    breaks: [
      `${ID}.serverless-${slug}-retry-after`,
      ...(value === undefined ? [] : ['router.response-headers.retry-after-seconds']),
    ],
    patch: answering(refusedFor(what), (reply) => withHeader(reply, 'Retry-After', value)),
  };
});

const lateRefusal = (reply: Reply, _context: RequestContext): Reply =>
  refusal(reply, 429, 'rate_limit_exceeded', { 'Retry-After': '1' });

const others = declareFaults<RouterRules>([
  {
    name: 'serverless-occupancy-unlimited',
    summary: 'Lets a serverless key have any number of tokens in flight.',
    breaks: [`${ID}.serverless-occupancy`, `${ID}.serverless-occupancy-current`],
    patch: (rules) => ({ ...rules, withinShare: () => true }),
  },
  {
    name: 'serverless-occupancy-waits',
    summary: 'Keeps requests over the occupancy share of a key waiting until it has room.',
    breaks: [`${ID}.serverless-occupancy`, `${ID}.serverless-occupancy-current`],
    patch: (rules) => ({ ...rules, waitsForShare: () => true }),
  },
  {
    name: 'serverless-occupancy-is-concurrency-limit',
    summary: 'Says concurrency_limit_exceeded of a key over its occupancy share.',
    breaks: [`${ID}.serverless-occupancy`, `${ID}.serverless-occupancy-current`],
    patch: answering(refusedFor('occupancy share'), (reply) =>
      refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
    ),
  },
  {
    name: 'serverless-input-unlimited',
    summary: 'Counts no input tokens of a serverless key.',
    breaks: [`${ID}.serverless-input-rate`, `${ID}.serverless-input-rate-current`],
    patch: (rules) => ({
      ...rules,
      gives: (level, amount, what) => what === 'input' || rules.gives(level, amount, what),
    }),
  },
  {
    name: 'serverless-input-is-token-limit',
    summary: 'Says token_limit_exceeded of a key over its input token rate.',
    breaks: [`${ID}.serverless-input-rate`],
    patch: answering(refusedFor('input token'), (reply) =>
      refusal(reply, 429, 'token_limit_exceeded'),
    ),
  },
  {
    name: 'serverless-input-refuses-the-next',
    summary: 'Serves the request that exceeds the input token rate, and refuses those after it.',
    breaks: [`${ID}.serverless-input-rate-current`],
    patch: (rules) => ({
      ...rules,
      gives: (level, amount, what) =>
        what === 'input' ? level > 0 : rules.gives(level, amount, what),
    }),
  },
  {
    name: 'serverless-output-unlimited',
    summary: 'Counts no output tokens of a serverless key.',
    breaks: [`${ID}.serverless-output-rate`, `${ID}.serverless-output-rate-later`],
    patch: (rules) => ({ ...rules, exhausted: () => false }),
  },
  {
    name: 'serverless-output-is-no-capacity',
    summary: 'Says no_capacity of a key over its output token rate.',
    breaks: [`${ID}.serverless-output-rate`],
    patch: answering(refusedFor('output token'), (reply) => refusal(reply, 503, 'no_capacity')),
  },
  {
    name: 'serverless-occupancy-looked-at-late',
    summary: 'Asks an engine before it refuses a key over its occupancy share.',
    breaks: [`${ID}.serverless-occupancy-current`],
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
  {
    name: 'serverless-output-looked-at-late',
    summary: 'Asks an engine before it refuses a key whose output token rate is exhausted.',
    breaks: [`${ID}.serverless-output-rate-later`],
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
  {
    name: 'serverless-output-refuses-its-own-answer',
    summary: 'Discards the very answer that exceeds the output token rate.',
    breaks: [`${ID}.serverless-output-rate-delivered`],
    patch: (rules) => ({
      ...rules,
      charge: (bucket, tokens) => {
        const level = rules.charge(bucket, tokens);
        if (tokens <= bucket.level) return level;
        bucket.level = level;
        const text = 'the output token rate of the key is exceeded';
        throw new RouterFailure('rate_limit_exceeded', text, { quota: 'serverless' });
      },
    }),
  },
  {
    name: 'serverless-output-of-streams-free',
    summary: 'Charges the output of streams to no rate.',
    breaks: [`${ID}.serverless-output-rate-streams`],
    patch: (rules) => ({
      ...rules,
      chargesRate: (context) => !context.stream && rules.chargesRate(context),
    }),
  },
  {
    name: 'serverless-rates-shared-by-keys',
    summary: 'Counts the serverless rates of a model for all keys together.',
    breaks: [`${ID}.serverless-per-key`],
    patch: (rules) => ({ ...rules, serverlessAccount: (_key, model) => model }),
  },
]);

export const serverlessFaults: readonly Fault<RouterRules>[] = [...retryAfter, ...others];
