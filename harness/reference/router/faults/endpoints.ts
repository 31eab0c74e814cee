/** Routes that are missing, answer too much, or show what they must not. */

import { withHeader } from '../../http.ts';
import { jsonIn, memberOf, RouterFailure } from '../model.ts';
import {
  amend,
  answering,
  every,
  faultTable,
  onPath,
  type Patch,
  refusal,
  replace,
  unless,
  type When,
  withBody,
  withCode,
  withError,
} from './answering.ts';

const isSuccess: When = (reply) => reply.status === 200;
const isChat = onPath('/v1/chat/completions');
const NATIVE = { method: 'POST', family: 'native', capability: 'chat', generates: true } as const;

/** The list of models with its items changed. */
function listing(change: (items: readonly unknown[]) => unknown): Patch {
  return answering(every(isSuccess, onPath('/v1/models')), (reply) => {
    const data = memberOf(jsonIn(Buffer.from(reply.body)), 'data');
    return withBody(reply, change(Array.isArray(data) ? data : []));
  });
}

/** Takes an unknown model for an unknown path, so that the route itself seems to be missing. */
const gone = (
  [
    ['chat-completions', '/v1/chat/completions', 'chat'],
    ['messages', '/v1/messages', 'proxy'],
    ['count-tokens', '/v1/messages/count_tokens', 'proxy'],
    ['embeddings', '/v1/embeddings', 'proxy'],
    ['rerank', '/v1/rerank', 'proxy'],
  ] as const
).flatMap(([slug, path, family]) =>
  faultTable({
    [`router.endpoints.${slug}-route`]: {
      [`${slug}-gone-for-unknown-models`]: {
        besides: ['router.envelope.object', `router.codes.unknown-model-${family}`],
        patch: answering(every(withCode('model_not_found'), onPath(path)), (reply) =>
          withHeader(withBody(reply, 'not found\n'), 'Content-Type', 'text/plain'),
        ),
      },
    },
  }),
);

/** Refuses a field of a chat completion that it may carry. */
function refusing(field: string): Patch {
  return amend('parse', (body, _bytes, context) => {
    // Small maxima alone are refused: large ones are another matter.
    const value = body[field];
    if (value === undefined || (typeof value === 'number' && value !== 16 && field !== 'top_p'))
      return body;
    if (context.path !== '/v1/chat/completions' || context.model !== undefined) return body;
    // That its engines lack a capability a router may say; not that they would refuse what they take.
    const isCapability = field === 'reasoning_effort' || field === 'tool_choice';
    const code = isCapability ? 'invalid_parameter' : 'request_invalid';
    throw new RouterFailure(code, `there is no member ${field}`);
  });
}

export const endpointFaults = [
  ...faultTable({
    'router.endpoints.models-list-data': {
      'model-list-is-bare': listing((items) => items),
      'model-list-by-id': listing((items) => ({ data: Object.fromEntries(items.entries()) })),
    },
    'router.endpoints.models-list-item-id': {
      'last-listed-id-is-a-number': listing((items) => ({
        data: [...items.slice(0, -1), { id: 7 }],
      })),
      'one-listed-model-has-no-id': listing((items) => ({
        data: [...items, { name: 'nameless' }],
      })),
    },
    'router.endpoints.models-list-hides': {
      'hidden-model-listed': unless(
        'sees',
        (_key, _model, context) => context.path === '/v1/models',
        true,
      ),
    },
    'router.endpoints.model-detail-hidden': {
      'hidden-model-has-a-detail': {
        besides: ['router.endpoints.model-detail-hidden-like-unknown'],
        patch: unless('sees', (_key, _model, context) => context.route?.family === 'model', true),
      },
      'hidden-model-forbidden': {
        besides: ['router.endpoints.model-detail-hidden-like-unknown'],
        patch: answering(
          every(withCode('model_not_found'), onPath('/v1/models/scripted-hidden')),
          (reply) => withError(reply, { code: 'model_forbidden' }, 403),
        ),
      },
    },
    'router.endpoints.model-detail-hidden-like-unknown': {
      'hidden-model-blamed-on-backend': {
        besides: ['router.codes.model_not_found-source'],
        patch: answering(
          every(withCode('model_not_found'), onPath('/v1/models/scripted-hidden')),
          (reply) => withError(reply, { source: 'backend' }),
        ),
      },
    },
    'router.endpoints.model-detail-listed': {
      'listed-model-without-detail': unless(
        'findModel',
        (_models, id, context) => context.route?.family === 'model' && id === 'scripted-embedding',
        undefined,
      ),
    },
    'router.endpoints.responses-not-found': {
      'responses-served': {
        says: 'Serves the responses route like a chat completion.',
        besides: ['router.endpoints.responses-reaches-no-engine'],
        patch: (rules) => ({
          routeAt: (path) => (path === '/v1/responses' ? { ...NATIVE, path } : rules.routeAt(path)),
          forward: (dispatch, context) => ({
            ...rules.forward(dispatch, context),
            path: dispatch.path.replace('/v1/responses', '/v1/chat/completions'),
          }),
        }),
      },
      'responses-is-501': answering(onPath('/v1/responses'), (reply) => ({
        ...reply,
        status: 501,
      })),
    },
    'router.endpoints.responses-reaches-no-engine': {
      'responses-reaches-an-engine': (rules) => ({
        routeAt: (path) => (path === '/v1/responses' ? { ...NATIVE, path } : rules.routeAt(path)),
        answer: (reply, context) =>
          context.path === '/v1/responses'
            ? { ...rules.answer(reply, context), status: 404 }
            : rules.answer(reply, context),
      }),
    },
    'router.endpoints.chat-completions-answer': {
      'answer-lost-beyond-ascii': answering(
        (reply, context) =>
          isChat(reply, context) &&
          reply.status === 200 &&
          Buffer.from(reply.body).some((byte) => byte > 0x7f),
        (reply) => withError(refusal(reply, 502, 'backend_error'), { source: 'backend' }),
      ),
    },
    'router.endpoints.chat-completions-body': {
      'answer-loses-line-ends': {
        says: 'Trims the text of a completion.',
        patch: answering(
          (reply, context) => isChat(reply, context) && reply.status === 200 && !context.stream,
          (reply) => {
            const json = jsonIn(Buffer.from(reply.body));
            const text = JSON.stringify(json, (name, value: unknown) =>
              name === 'content' && typeof value === 'string' ? value.trim() : value,
            );
            return json === undefined ? reply : withBody(reply, text);
          },
        ),
      },
    },
    'router.endpoints.parameters-accepted': {
      'numbers-in-tools-miscounted': unless(
        'estimateInput',
        (body) => /:\d/u.test(JSON.stringify(body['tools'] ?? null)),
        () => Number.NaN,
      ),
      'null-in-tools-fails': replace('estimateInput', (original, body, context) => {
        if (!JSON.stringify(body['tools'] ?? 'none').includes('null')) {
          return original(body, context);
        }
        throw new TypeError('null has no members');
      }),
    },
  }),
  ...gone,
  ...(['health', 'routing-table'] as const).flatMap((name) =>
    faultTable({
      [`router.endpoints.admin-${name}`]: {
        [`admin-${name}-fails`]: answering(every(isSuccess, onPath(`/admin/${name}`)), (reply) =>
          withBody(reply, { error: 'not implemented' }, 501),
        ),
      },
    }),
  ),
  ...(
    [
      ['chat-completions', 'chat completion', '/v1/chat/completions'],
      ['messages', 'message', '/v1/messages'],
    ] as const
  ).flatMap(([name, what, path]) =>
    faultTable({
      'router.endpoints.lost-answer-not-whole': {
        [`half-${name}-passed-on`]: {
          says: `Passes on what came of a ${what} whose engine was lost as if that were all.`,
          patch: () => ({ keepsHalfBodies: (context) => context.path === path }),
        },
      },
    }),
  ),
  ...(
    [
      ['max_tokens', 'max-tokens-accepted'],
      ['max_completion_tokens', 'max-completion-tokens-accepted'],
      ['reasoning_effort', 'parameters-accepted'],
      ['tool_choice', 'parameters-accepted'],
      ['top_p', 'parameters-accepted'],
    ] as const
  ).flatMap(([field, slug]) =>
    faultTable({
      [`router.endpoints.${slug}`]: {
        [`${field.replaceAll('_', '-')}-refused`]: {
          says: `Refuses a chat completion that carries ${field}.`,
          patch: refusing(field),
        },
      },
    }),
  ),
];
