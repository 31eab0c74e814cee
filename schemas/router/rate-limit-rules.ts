/** Rate limit rules: request buckets, serverless rates and per-model quotas. */

import { needing } from './needs.ts';
import { all, clause, cited, excluded, stated, implied, open, section } from '../requirement.ts';

const bucket = needing('keys.requestsPerMinute');
const perModel = needing('keys.perModel');
const outputRate = needing('keys.serverless', 'keys.serverless.outputTokensPerMinute', 'backend');
const inputRate = needing('keys.serverless', 'keys.serverless.inputTokensPerMinute', 'backend');
const share = needing('keys.serverless', 'keys.serverless.occupancyShare', 'backend');

export const rateLimit = section('router', 'rate-limit-rules', [
  excluded.heading('rate-limit-rules', 'Errors, Rate limit rules'),
  clause('rate-limit-rules/1', 'Errors, Rate limit rules: rule 1, exhausted bucket', {
    ...all(stated, bucket.needs, {
      'exhausted-bucket':
        'Once the request bucket of a key is empty the next request is rate_limit_exceeded.',
      'exhausted-bucket-remaining-zero':
        'The refusal of an empty request bucket says that zero requests remain.',
    }),
    'exhausted-bucket-reaches-no-engine': stated(
      'A request that an empty request bucket refuses reaches no engine.',
      ['keys.requestsPerMinute', 'models.chat', 'backend'],
    ),
  }),
  clause('rate-limit-rules/1/refill', 'Errors, Rate limit rules: rule 1, refill', {
    'refill-continuous': bucket.stated(
      'Soon after the share of a minute that one request is worth, a request passes again.',
      '60 seconds divided by the limit, plus slack, at any moment of the minute',
    ),
    'refill-gradual': bucket.stated(
      'After that short wait about as many requests pass as it refills, not a whole minute of them.',
    ),
  }),
  clause('rate-limit-rules/1/retry-after', 'Errors, Rate limit rules: rule 1, no Retry-After', {
    'exhausted-bucket-no-retry-after': bucket.stated(
      'The refusal of an empty request bucket carries no Retry-After.',
    ),
  }),
  excluded.advice(
    'rate-limit-rules/1/backoff',
    'Errors, Rate limit rules: rule 1, backoff of clients',
  ),
  clause('rate-limit-rules/2', 'Errors, Rate limit rules: rule 2, serverless kinds', {
    'serverless-occupancy': share.stated(
      'A serverless key over its occupancy share is refused with rate_limit_exceeded.',
    ),
    'serverless-input-rate': inputRate.stated(
      'A serverless key over its input token rate is refused with rate_limit_exceeded.',
    ),
    'serverless-output-rate': outputRate.stated(
      'A serverless key over its output token rate is refused with rate_limit_exceeded.',
    ),
  }),
  clause('rate-limit-rules/2/retry-after', 'Errors, Rate limit rules: rule 2, Retry-After', {
    'serverless-occupancy-retry-after': share.stated(
      'The refusal of an occupancy share carries Retry-After in whole seconds.',
    ),
    'serverless-input-rate-retry-after': inputRate.stated(
      'The refusal of an input token rate carries Retry-After in whole seconds.',
    ),
    'serverless-output-rate-retry-after': outputRate.stated(
      'The refusal of an output token rate carries Retry-After in whole seconds.',
    ),
  }),
  clause(
    'rate-limit-rules/2/current',
    'Errors, Rate limit rules: rule 2, what rejects the current request',
    {
      'serverless-occupancy-current': share.stated(
        'The very request that exceeds the occupancy share is refused and reaches no engine.',
      ),
      'serverless-input-rate-current': inputRate.stated(
        'The very request that exceeds the input token rate is refused and reaches no engine.',
      ),
    },
  ),
  clause(
    'rate-limit-rules/2/later',
    'Errors, Rate limit rules: rule 2, what rejects a later request',
    {
      ...all(stated, outputRate.needs, {
        'serverless-output-rate-delivered':
          'The request whose output exceeds the output token rate is itself answered.',
        'serverless-output-rate-later':
          'A request after the one that exhausted the output token rate is refused before an engine.',
      }),
      'serverless-output-rate-streams': outputRate.stated(
        'The output of a stream is charged to the output token rate of a serverless key as well.',
        'a later request is refused with rate_limit_exceeded',
      ),
    },
  ),
  clause('rate-limit-rules/3', 'Errors, Rate limit rules: rule 3, undeclared model', {
    'undeclared-model': perModel.stated(
      'A model that the quotas of a key do not list is rate_limit_exceeded, not model_forbidden.',
    ),
    'undeclared-model-reaches-no-engine': stated(
      'A request for an undeclared model reaches no engine.',
      ['keys.perModel', 'backend'],
    ),
    'declared-model-served': implied(
      'A model that the quotas of a key list is not refused to it as one that they do not.',
      ['keys.perModel', 'keys.perModel.declared'],
    ),
  }),
  clause(
    'rate-limit-rules/3/permanent',
    'Errors, Rate limit rules: rule 3, a configuration error',
    {
      'undeclared-model-stays': perModel.stated(
        'Waiting does not lift the refusal of an undeclared model.',
      ),
    },
  ),
  clause('limits/requests-per-minute', 'Limits: requests per minute', {
    'request-costs-one': bucket.stated(
      'A request that is served takes one request of the bucket of its key, not several.',
      'as far as answers tell what remains',
    ),
    'refill-rate': bucket.stated(
      'In some seconds about as many requests fill in as the limit of the key gives, not half as many or twice as many.',
      'for limits from 90 to 600 whose bucket gives them at once, with room for one that fills by ticks of a second',
    ),
    'bucket-per-key': bucket.stated('While one key is out of requests another key is served.'),
    ...all(open, bucket.needs, {
      'bucket-size': 'How many requests pass in one burst before the first refusal.',
      'refused-requests-cost': 'Whether invalid requests use up the request bucket.',
    }),
  }),
  clause('limits/serverless', 'Limits: serverless occupancy and token rates', {
    'serverless-on-messages': implied(
      'The limits of a serverless key hold for the messages route as well.',
      ['keys.serverless', 'backend'],
    ),
    'serverless-per-key': stated(
      'While one serverless key is over its rate another key is not refused for it.',
      ['keys.serverless', 'keys.serverless.outputTokensPerMinute', 'keys.second', 'backend'],
    ),
  }),
  cited('headers/retry-after', {
    'undeclared-model-no-retry-after': perModel.stated(
      'The refusal of an undeclared model carries no Retry-After.',
    ),
  }),
]);
