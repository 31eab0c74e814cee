/** Rate limit rules: request buckets, serverless rates and per-model quotas. */

import { routerSection } from './section.ts';

const serverlessOutput = [
  'keys.serverless',
  'keys.serverless.outputTokensPerMinute',
  'backend',
] as const;
const serverlessInput = [
  'keys.serverless',
  'keys.serverless.inputTokensPerMinute',
  'backend',
] as const;
const serverlessShare = ['keys.serverless', 'keys.serverless.occupancyShare', 'backend'] as const;

export const rateLimitRequirements = routerSection('rate-limit-rules', {
  'exhausted-bucket': {
    clause: 'router#rate-limit-rules/1',
    strength: 'stated',
    statement: 'Once the request bucket of a key is empty the next request is rate_limit_exceeded.',
    needs: ['keys.requestsPerMinute'],
  },
  'exhausted-bucket-remaining-zero': {
    clause: 'router#rate-limit-rules/1',
    strength: 'stated',
    statement: 'The refusal of an empty request bucket says that zero requests remain.',
    needs: ['keys.requestsPerMinute'],
  },
  'exhausted-bucket-no-retry-after': {
    clause: 'router#rate-limit-rules/1/retry-after',
    strength: 'stated',
    statement: 'The refusal of an empty request bucket carries no Retry-After.',
    needs: ['keys.requestsPerMinute'],
  },
  'exhausted-bucket-reaches-no-engine': {
    clause: 'router#rate-limit-rules/1',
    strength: 'stated',
    statement: 'A request that an empty request bucket refuses reaches no engine.',
    needs: ['keys.requestsPerMinute', 'models.chat', 'backend'],
  },
  'request-costs-one': {
    clause: 'router#limits/requests-per-minute',
    strength: 'stated',
    statement: 'A request that is served takes one request of the bucket of its key, not several.',
    judged: 'as far as answers tell what remains',
    needs: ['keys.requestsPerMinute'],
  },
  'refill-continuous': {
    clause: 'router#rate-limit-rules/1/refill',
    strength: 'stated',
    statement:
      'Soon after the share of a minute that one request is worth, a request passes again.',
    judged: '60 seconds divided by the limit, plus slack, at any moment of the minute',
    needs: ['keys.requestsPerMinute'],
  },
  'refill-gradual': {
    clause: 'router#rate-limit-rules/1/refill',
    strength: 'stated',
    statement:
      'After that short wait about as many requests pass as it refills, not a whole minute of them.',
    needs: ['keys.requestsPerMinute'],
  },
  'refill-rate': {
    clause: 'router#limits/requests-per-minute',
    strength: 'stated',
    statement:
      'In some seconds about as many requests fill in as the limit of the key gives, not half as many.',
    judged:
      'for limits from 90 to 600 whose bucket gives them at once, with room for one that fills by ticks of a second',
    needs: ['keys.requestsPerMinute'],
  },
  'bucket-per-key': {
    clause: 'router#limits/requests-per-minute',
    strength: 'stated',
    statement: 'While one key is out of requests another key is served.',
    needs: ['keys.requestsPerMinute'],
  },
  'bucket-size': {
    clause: 'router#limits/requests-per-minute',
    strength: 'open',
    statement: 'How many requests pass in one burst before the first refusal.',
    needs: ['keys.requestsPerMinute'],
  },
  'refused-requests-cost': {
    clause: 'router#limits/requests-per-minute',
    strength: 'open',
    statement: 'Whether invalid requests use up the request bucket.',
    needs: ['keys.requestsPerMinute'],
  },
  'serverless-occupancy': {
    clause: 'router#rate-limit-rules/2',
    strength: 'stated',
    statement: 'A serverless key over its occupancy share is refused with rate_limit_exceeded.',
    needs: serverlessShare,
  },
  'serverless-input-rate': {
    clause: 'router#rate-limit-rules/2',
    strength: 'stated',
    statement: 'A serverless key over its input token rate is refused with rate_limit_exceeded.',
    needs: serverlessInput,
  },
  'serverless-output-rate': {
    clause: 'router#rate-limit-rules/2',
    strength: 'stated',
    statement: 'A serverless key over its output token rate is refused with rate_limit_exceeded.',
    needs: serverlessOutput,
  },
  'serverless-occupancy-retry-after': {
    clause: 'router#rate-limit-rules/2/retry-after',
    strength: 'stated',
    statement: 'The refusal of an occupancy share carries Retry-After in whole seconds.',
    needs: serverlessShare,
  },
  'serverless-input-rate-retry-after': {
    clause: 'router#rate-limit-rules/2/retry-after',
    strength: 'stated',
    statement: 'The refusal of an input token rate carries Retry-After in whole seconds.',
    needs: serverlessInput,
  },
  'serverless-output-rate-retry-after': {
    clause: 'router#rate-limit-rules/2/retry-after',
    strength: 'stated',
    statement: 'The refusal of an output token rate carries Retry-After in whole seconds.',
    needs: serverlessOutput,
  },
  'serverless-occupancy-current': {
    clause: 'router#rate-limit-rules/2/current',
    strength: 'stated',
    statement:
      'The very request that exceeds the occupancy share is refused and reaches no engine.',
    needs: serverlessShare,
  },
  'serverless-input-rate-current': {
    clause: 'router#rate-limit-rules/2/current',
    strength: 'stated',
    statement:
      'The very request that exceeds the input token rate is refused and reaches no engine.',
    needs: serverlessInput,
  },
  'serverless-output-rate-delivered': {
    clause: 'router#rate-limit-rules/2/later',
    strength: 'stated',
    statement: 'The request whose output exceeds the output token rate is itself answered.',
    needs: serverlessOutput,
  },
  'serverless-output-rate-later': {
    clause: 'router#rate-limit-rules/2/later',
    strength: 'stated',
    statement:
      'A request after the one that exhausted the output token rate is refused before an engine.',
    needs: serverlessOutput,
  },
  'serverless-output-rate-streams': {
    clause: 'router#rate-limit-rules/2/later',
    strength: 'stated',
    statement:
      'The output of a stream is charged to the output token rate of a serverless key as well.',
    judged: 'a later request is refused with rate_limit_exceeded',
    needs: serverlessOutput,
  },
  'serverless-on-messages': {
    clause: 'router#limits/serverless',
    strength: 'implied',
    statement: 'The limits of a serverless key hold for the messages route as well.',
    needs: ['keys.serverless', 'backend'],
  },
  'serverless-per-key': {
    clause: 'router#limits/serverless',
    strength: 'stated',
    statement: 'While one serverless key is over its rate another key is not refused for it.',
    needs: ['keys.serverless', 'keys.serverless.outputTokensPerMinute', 'keys.second', 'backend'],
  },
  'undeclared-model': {
    clause: 'router#rate-limit-rules/3',
    strength: 'stated',
    statement:
      'A model that the quotas of a key do not list is rate_limit_exceeded, not model_forbidden.',
    needs: ['keys.perModel'],
  },
  'undeclared-model-no-retry-after': {
    clause: 'router#headers/retry-after',
    strength: 'stated',
    statement: 'The refusal of an undeclared model carries no Retry-After.',
    needs: ['keys.perModel'],
  },
  'undeclared-model-reaches-no-engine': {
    clause: 'router#rate-limit-rules/3',
    strength: 'stated',
    statement: 'A request for an undeclared model reaches no engine.',
    needs: ['keys.perModel', 'backend'],
  },
  'undeclared-model-stays': {
    clause: 'router#rate-limit-rules/3/permanent',
    strength: 'stated',
    statement: 'Waiting does not lift the refusal of an undeclared model.',
    needs: ['keys.perModel'],
  },
  'declared-model-served': {
    clause: 'router#rate-limit-rules/3',
    strength: 'implied',
    statement:
      'A model that the quotas of a key list is not refused to it as one that they do not.',
    needs: ['keys.perModel', 'keys.perModel.declared'],
  },
});
