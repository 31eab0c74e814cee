/** Limits on the size of bodies, ids and inputs; admission.ts has those on concurrency and time. */

import { needing } from './needs.ts';
import { all, clause, cited, excluded, stated, implied, open, section } from '../requirement.ts';

/** Longest model id, in characters (router#limits/model-id-length). */
export const MODEL_ID_LENGTH = 256;

const size = needing('limits.maxRequestBytes');

export const limit = section('router', 'limits', [
  clause('endpoints/model-id-length', 'Endpoints: second point, length of a model id', {
    'model-id-257-proxy': stated(
      'On each transparent proxy route a model id of 257 characters is request_invalid.',
    ),
  }),
  excluded.heading('limits', 'Limits'),
  clause('limits/body-size', 'Limits: request body size', {
    'body-at-limit': size.stated('A body of exactly the size limit is not refused as too large.'),
    'body-over-limit': size.stated(
      'A body one byte over the size limit, its length declared, is 413.',
      'a reset without a status is inconclusive',
    ),
    'body-over-limit-chunked': size.stated(
      'A chunked body one byte over the size limit is 413.',
      'a reset without a status is inconclusive',
    ),
    'body-over-limit-proxy': size.stated(
      'On each transparent proxy route a body over the size limit is 413.',
    ),
    'oversize-order': size.open('Whether an oversize body without credentials is 401 or 413.'),
  }),
  excluded(
    'limits/body-size/default',
    'Limits: request body size, default',
    'a default that a deployment may set otherwise; no response tells a set value from it',
  ),
  clause('limits/body-size/disabled', 'Limits: request body size, zero', {
    'body-limit-disabled': stated(
      'Where the size limit is zero, a body over the default limit is not 413.',
      {
        judged: 'only where the target file says that the limit is 0',
        needs: ['limits.maxRequestBytes'],
        unprovable: 'needs a deployment without the limit; a variant of the reference has it',
      },
    ),
  }),
  clause('limits/model-id-length', 'Limits: model id length', {
    'model-id-256': stated('A model id of 255 or 256 characters is not refused for its length.', {
      judged: 'model_not_found and not request_invalid',
    }),
    'model-id-257-chat': stated(
      'A chat completion with a model id of 257 characters is request_invalid.',
    ),
    'model-id-not-ascii': open('How the length of a model id counts characters outside ASCII.'),
  }),
  clause('limits/input-caps', 'Limits: input tokens and images', {
    ...all(stated, ['models.capped', 'models.capped.maxInputTokens'], {
      'input-tokens-over': 'An input far over the token cap of a policy is input_too_long.',
      'input-tokens-under':
        'An input far under the token cap of a policy is not refused for its length.',
    }),
    'input-caps-on-messages': implied(
      'A request over an input cap on the messages route reaches no engine.',
      ['models.capped', 'backend'],
    ),
  }),
  excluded(
    'limits/quota-structure',
    'Limits: structure of a quota',
    'configuration of the deployment; its effect is judged at the rate limit rules',
  ),
  excluded.notShown('limits/defaults', 'Limits: last sentence'),
  cited('envelope/body-size', {
    'body-over-limit-reaches-no-engine': stated('A body over the size limit reaches no engine.', [
      'limits.maxRequestBytes',
      'backend',
      'models.chat',
    ]),
  }),
  cited('codes/input_too_long', {
    ...all(stated, ['models.capped', 'models.capped.imagesMax'], {
      'images-over': 'One image more than a policy allows is input_too_long.',
      'images-at': 'As many images as a policy allows are not refused for their number.',
    }),
    'input-caps-reach-no-engine': stated('A request over an input cap reaches no engine.', [
      'models.capped',
      'backend',
    ]),
  }),
]);
