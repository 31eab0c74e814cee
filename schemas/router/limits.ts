/** Limits: the size of bodies, ids and inputs. Concurrency and time are in admission.ts. */

import { routerSection } from './section.ts';

/** Longest model id, in characters (router#limits/model-id-length). */
export const MODEL_ID_LENGTH = 256;

export const limitRequirements = routerSection('limits', {
  'body-at-limit': {
    clause: 'router#limits/body-size',
    strength: 'stated',
    statement: 'A body of exactly the size limit is not refused as too large.',
    needs: ['limits.maxRequestBytes'],
  },
  'body-over-limit': {
    clause: 'router#limits/body-size',
    strength: 'stated',
    statement: 'A body one byte over the size limit, its length declared, is 413.',
    judged: 'a reset without a status is inconclusive',
    needs: ['limits.maxRequestBytes'],
  },
  'body-over-limit-chunked': {
    clause: 'router#limits/body-size',
    strength: 'stated',
    statement: 'A chunked body one byte over the size limit is 413.',
    judged: 'a reset without a status is inconclusive',
    needs: ['limits.maxRequestBytes'],
  },
  'body-over-limit-proxy': {
    clause: 'router#limits/body-size',
    strength: 'stated',
    statement: 'On each transparent proxy route a body over the size limit is 413.',
    needs: ['limits.maxRequestBytes'],
  },
  'body-over-limit-reaches-no-engine': {
    clause: 'router#envelope/body-size',
    strength: 'stated',
    statement: 'A body over the size limit reaches no engine.',
    needs: ['limits.maxRequestBytes', 'backend', 'models.chat'],
  },
  'body-limit-disabled': {
    clause: 'router#limits/body-size/disabled',
    strength: 'stated',
    statement: 'Where the size limit is zero, a body over the default limit is not 413.',
    judged: 'only where the target file says that the limit is 0',
    needs: ['limits.maxRequestBytes'],
    unprovable: 'needs a deployment without the limit; a variant of the reference has it',
  },
  'oversize-order': {
    clause: 'router#limits/body-size',
    strength: 'open',
    statement: 'Whether an oversize body without credentials is 401 or 413.',
    needs: ['limits.maxRequestBytes'],
  },
  'model-id-256': {
    clause: 'router#limits/model-id-length',
    strength: 'stated',
    statement: 'A model id of 255 or 256 characters is not refused for its length.',
    judged: 'model_not_found and not request_invalid',
  },
  'model-id-257-chat': {
    clause: 'router#limits/model-id-length',
    strength: 'stated',
    statement: 'A chat completion with a model id of 257 characters is request_invalid.',
  },
  'model-id-257-proxy': {
    clause: 'router#endpoints/model-id-length',
    strength: 'stated',
    statement: 'On each transparent proxy route a model id of 257 characters is request_invalid.',
  },
  'model-id-not-ascii': {
    clause: 'router#limits/model-id-length',
    strength: 'open',
    statement: 'How the length of a model id counts characters outside ASCII.',
  },
  'input-tokens-over': {
    clause: 'router#limits/input-caps',
    strength: 'stated',
    statement: 'An input far over the token cap of a policy is input_too_long.',
    needs: ['models.capped', 'models.capped.maxInputTokens'],
  },
  'input-tokens-under': {
    clause: 'router#limits/input-caps',
    strength: 'stated',
    statement: 'An input far under the token cap of a policy is not refused for its length.',
    needs: ['models.capped', 'models.capped.maxInputTokens'],
  },
  'images-over': {
    clause: 'router#codes/input_too_long',
    strength: 'stated',
    statement: 'One image more than a policy allows is input_too_long.',
    needs: ['models.capped', 'models.capped.imagesMax'],
  },
  'images-at': {
    clause: 'router#codes/input_too_long',
    strength: 'stated',
    statement: 'As many images as a policy allows are not refused for their number.',
    needs: ['models.capped', 'models.capped.imagesMax'],
  },
  'input-caps-reach-no-engine': {
    clause: 'router#codes/input_too_long',
    strength: 'stated',
    statement: 'A request over an input cap reaches no engine.',
    needs: ['models.capped', 'backend'],
  },
  'input-caps-on-messages': {
    clause: 'router#limits/input-caps',
    strength: 'implied',
    statement: 'A request over an input cap on the messages route reaches no engine.',
    needs: ['models.capped', 'backend'],
  },
});
