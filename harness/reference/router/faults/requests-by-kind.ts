/** Requests that are read or refused wrongly where they stream, or where they come in over a proxy route. */

import { declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, every, onPath, refusal, withCode } from './answering.ts';
import type { When } from './answering.ts';
import { withHeader } from '../../http/reply.ts';
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

export const requestKindFaults = declareFaults<RouterRules>([
  {
    name: 'responses-without-json-is-invalid',
    summary:
      'Reads the body of the responses route first, and says request_invalid of a short one.',
    breaks: ['router.endpoints.responses-not-found'],
    patch: answering(
      every(
        onPath('/v1/responses'),
        (_reply, { headers }) => Number(headers['content-length'] ?? 0) < 2,
      ),
      (reply) => refusal(reply, 400, 'request_invalid'),
    ),
  },
  {
    name: 'null-as-model-is-unknown-on-count-tokens',
    summary: 'Takes null for the name of a model where tokens are counted.',
    breaks: ['router.codes.model-not-text'],
    patch: (rules) => ({
      ...rules,
      requireModel: (body, context) =>
        body['model'] === null && context.path.endsWith('/count_tokens')
          ? 'null'
          : rules.requireModel(body, context),
    }),
  },
  {
    name: 'model-id-257-let-through-in-streams',
    summary: 'Says model_not_found of an id of 257 characters where a stream was asked for.',
    breaks: ['router.limits.model-id-257-chat'],
    patch: shortening((_model, context) => isStream(context)),
  },
  {
    name: 'model-id-257-let-through-with-an-owner',
    summary: 'Measures what follows the slash in the id of a model alone.',
    breaks: ['router.limits.model-id-257-chat'],
    patch: shortening((model) => model.includes('/') && model.length < 260),
  },
  {
    name: 'unknown-model-has-no-agents-in-streams',
    summary: 'Says no_agents_available of an unknown model where a stream was asked for.',
    breaks: ['router.codes.unknown-model-chat'],
    patch: answering(
      every(withCode('model_not_found'), onPath('/v1/chat/completions'), asksForStream),
      (reply) => refusal(reply, 503, 'no_agents_available'),
    ),
  },
  {
    name: 'input-cap-ignored-on-messages',
    summary: 'Does not look at the token cap of a policy on the messages route.',
    breaks: ['router.limits.input-caps-on-messages'],
    patch: (rules) => ({
      ...rules,
      withinCaps: (model, input, images, context) =>
        context.path === '/v1/messages' || rules.withinCaps(model, input, images, context),
    }),
  },
  {
    name: 'undeclared-model-says-when-on-messages',
    summary: 'Sends Retry-After with the refusal of an undeclared model on the messages route.',
    breaks: ['router.rate-limit-rules.undeclared-model-no-retry-after'],
    patch: answering(every(isUndeclared, onPath('/v1/messages')), (reply) =>
      withHeader(reply, 'Retry-After', '1'),
    ),
  },
  {
    name: 'undeclared-model-forbidden-on-messages',
    summary: 'Says model_forbidden of an undeclared model on the messages route.',
    breaks: ['router.rate-limit-rules.undeclared-model'],
    patch: answering(every(isUndeclared, onPath('/v1/messages')), (reply) =>
      refusal(reply, 403, 'model_forbidden'),
    ),
  },
  {
    name: 'no-agents-is-backend-error-on-messages',
    summary: 'Says backend_error of a model without eligible agents on the messages route.',
    breaks: ['router.codes.no-agents-available'],
    patch: answering(every(withCode('no_agents_available'), onPath('/v1/messages')), (reply) =>
      refusal(reply, 502, 'backend_error'),
    ),
  },
  {
    name: 'unlimited-key-told-on-messages',
    summary: 'Tells a key without quotas that many requests remain on the messages route.',
    breaks: ['router.response-headers.unlimited-omitted'],
    patch: answering(
      every(onPath('/v1/messages'), (_reply, { key }) => key?.name === 'unlimited'),
      (reply) => withHeader(reply, REMAINING, '99999'),
    ),
  },
  {
    name: 'max-completion-tokens-overlooked-in-streams',
    summary: 'Does not look at max_completion_tokens where a stream was asked for.',
    breaks: ['router.token-limit-rules.stream-up-front'],
    patch: (rules) => ({
      ...rules,
      requestedOutput: (body, context) =>
        isStream(context) && body['max_tokens'] === undefined
          ? undefined
          : rules.requestedOutput(body, context),
    }),
  },
  {
    name: 'long-prompts-fit-in-streams',
    summary: 'Sets the prompt of a stream against no daily budget.',
    breaks: ['router.token-limit-rules.stream-up-front'],
    patch: (rules) => ({
      ...rules,
      estimateInput: (body, context) =>
        isStream(context) && context.key?.tokensPerDay !== undefined
          ? 1
          : rules.estimateInput(body, context),
    }),
  },
]);
