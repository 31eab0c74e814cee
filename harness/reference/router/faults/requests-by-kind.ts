/** Requests that are read or refused wrongly where they stream, or where they come in over a proxy route. */

import type { RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import {
  answering,
  every,
  faultTable,
  onPath,
  refusal,
  unless,
  type When,
  withCode,
} from './answering.ts';
import { withHeader } from '../../http.ts';
import { isUndeclared } from './rate-limits.ts';

const isStream = ({ stream }: RequestContext): boolean => stream;
const asksForStream: When = (_reply, { stream }) => stream;
const REMAINING = 'X-RateLimit-Remaining-Requests';

/** Cuts the ids of some models to a length that is allowed, whatever it was. */
function shortening(where: (model: string, context: RequestContext) => boolean) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    requireModel: (body, context) => {
      const { model } = body;
      const long = typeof model === 'string' && where(model, context);
      return rules.requireModel(long ? { ...body, model: model.slice(0, 256) } : body, context);
    },
  });
}

export const requestKindFaults = faultTable({
  'router.endpoints.responses-not-found': {
    'responses-without-json-is-invalid': answering(
      every(
        onPath('/v1/responses'),
        (_reply, { headers }) => Number(headers['content-length'] ?? 0) < 2,
      ),
      (reply) => refusal(reply, 400, 'request_invalid'),
    ),
  },
  'router.codes.model-not-text': {
    'null-as-model-is-unknown-on-count-tokens': unless(
      'requireModel',
      (body, context) => body['model'] === null && context.path.endsWith('/count_tokens'),
      'null',
    ),
  },
  'router.limits.model-id-257-chat': {
    'model-id-257-let-through-in-streams': shortening((_model, context) => isStream(context)),
    'model-id-257-let-through-with-an-owner': shortening(
      (model) => model.includes('/') && model.length < 260,
    ),
  },
  'router.codes.unknown-model-chat': {
    'unknown-model-has-no-agents-in-streams': answering(
      every(withCode('model_not_found'), onPath('/v1/chat/completions'), asksForStream),
      (reply) => refusal(reply, 503, 'no_agents_available'),
    ),
  },
  'router.limits.input-caps-on-messages': {
    'input-cap-ignored-on-messages': unless(
      'withinCaps',
      (_model, _input, _images, context) => context.path === '/v1/messages',
      true,
    ),
  },
  'router.rate-limit-rules.undeclared-model-no-retry-after': {
    'undeclared-model-says-when-on-messages': answering(
      every(isUndeclared, onPath('/v1/messages')),
      (reply) => withHeader(reply, 'Retry-After', '1'),
    ),
  },
  'router.rate-limit-rules.undeclared-model': {
    'undeclared-model-forbidden-on-messages': answering(
      every(isUndeclared, onPath('/v1/messages')),
      (reply) => refusal(reply, 403, 'model_forbidden'),
    ),
  },
  'router.codes.no-agents-available': {
    'no-agents-is-backend-error-on-messages': answering(
      every(withCode('no_agents_available'), onPath('/v1/messages')),
      (reply) => refusal(reply, 502, 'backend_error'),
    ),
  },
  'router.response-headers.unlimited-omitted': {
    'unlimited-key-told-on-messages': answering(
      every(onPath('/v1/messages'), (_reply, { key }) => key?.name === 'unlimited'),
      (reply) => withHeader(reply, REMAINING, '99999'),
    ),
  },
  'router.token-limit-rules.stream-up-front': {
    'max-completion-tokens-overlooked-in-streams': unless(
      'requestedOutput',
      (body, context) => isStream(context) && body['max_tokens'] === undefined,
      undefined,
    ),
    'long-prompts-fit-in-streams': unless(
      'estimateInput',
      (_body, context) => isStream(context) && context.key?.tokensPerDay !== undefined,
      1,
    ),
  },
});
