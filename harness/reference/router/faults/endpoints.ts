/** Routes that are missing, answer too much, or show what they must not. */

import { type Fault, declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import { RouterFailure } from '../failure.ts';
import { jsonIn, memberOf } from '../json.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, every, onPath, refusal, withBody, withCode, withError } from './answering.ts';
import type { Patch, When } from './answering.ts';

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
).map(([slug, path, family]): Fault<RouterRules> => ({
  name: `${slug}-gone-for-unknown-models`,
  summary: `Has no ${slug} route for a model that nobody registers.`,
  breaks: [
    `router.endpoints.${slug}-route`,
    'router.envelope.object',
    `router.codes.unknown-model-${family}`,
  ],
  patch: answering(every(withCode('model_not_found'), onPath(path)), (reply) =>
    withHeader(withBody(reply, 'not found\n'), 'Content-Type', 'text/plain'),
  ),
}));

/** Refuses a field of a chat completion that it may carry. */
function refusing(field: string): Patch {
  return (rules) => ({
    ...rules,
    parse: (bytes, context) => {
      const body = rules.parse(bytes, context);
      // Small maxima alone are refused: large ones are another matter.
      const value = body[field];
      if (value === undefined || (typeof value === 'number' && value !== 16 && field !== 'top_p'))
        return body;
      if (context.path !== '/v1/chat/completions' || context.model !== undefined) return body;
      throw new RouterFailure('request_invalid', `there is no member ${field}`);
    },
  });
}

export const endpointFaults = declareFaults<RouterRules>([
  ...gone,
  {
    name: 'model-list-is-bare',
    summary: 'Lists models as an array without the object around it.',
    breaks: ['router.endpoints.models-list-data'],
    patch: listing((items) => items),
  },
  {
    name: 'model-list-by-id',
    summary: 'Lists models as an object with their ids as members.',
    breaks: ['router.endpoints.models-list-data'],
    patch: listing((items) => ({ data: Object.fromEntries(items.entries()) })),
  },
  {
    name: 'last-listed-id-is-a-number',
    summary: 'Gives the last model of the list a number for an id.',
    breaks: ['router.endpoints.models-list-item-id'],
    patch: listing((items) => ({ data: [...items.slice(0, -1), { id: 7 }] })),
  },
  {
    name: 'one-listed-model-has-no-id',
    summary: 'Names one model of the list `name` and not `id`.',
    breaks: ['router.endpoints.models-list-item-id'],
    patch: listing((items) => ({ data: [...items, { name: 'nameless' }] })),
  },
  {
    name: 'hidden-model-listed',
    summary: 'Lists a model to a caller from whom it is hidden.',
    breaks: ['router.endpoints.models-list-hides'],
    patch: (rules) => ({
      ...rules,
      sees: (key, model, context) =>
        context.path === '/v1/models' || rules.sees(key, model, context),
    }),
  },
  {
    name: 'hidden-model-has-a-detail',
    summary: 'Shows the detail of a model to a caller from whom it is hidden.',
    breaks: [
      'router.endpoints.model-detail-hidden',
      'router.endpoints.model-detail-hidden-like-unknown',
    ],
    patch: (rules) => ({
      ...rules,
      sees: (key, model, context) =>
        context.route?.family === 'model' || rules.sees(key, model, context),
    }),
  },
  {
    name: 'hidden-model-forbidden',
    summary: 'Says model_forbidden of a model that is hidden, and so that it exists.',
    breaks: [
      'router.endpoints.model-detail-hidden',
      'router.endpoints.model-detail-hidden-like-unknown',
    ],
    patch: answering(
      every(withCode('model_not_found'), onPath('/v1/models/scripted-hidden')),
      (reply) => withError(reply, { code: 'model_forbidden' }, 403),
    ),
  },
  {
    name: 'hidden-model-blamed-on-backend',
    summary: 'Says of a hidden model that the engine does not know it.',
    breaks: [
      'router.endpoints.model-detail-hidden-like-unknown',
      'router.codes.model_not_found-source',
    ],
    patch: answering(
      every(withCode('model_not_found'), onPath('/v1/models/scripted-hidden')),
      (reply) => withError(reply, { source: 'backend' }),
    ),
  },
  {
    name: 'listed-model-without-detail',
    summary: 'Has no detail for the second model of the list.',
    breaks: ['router.endpoints.model-detail-listed'],
    patch: (rules) => ({
      ...rules,
      findModel: (models, id, context) =>
        context.route?.family === 'model' && id === 'scripted-embedding'
          ? undefined
          : rules.findModel(models, id, context),
    }),
  },
  ...(['health', 'routing-table'] as const).map((name): Fault<RouterRules> => ({
    name: `admin-${name}-fails`,
    summary: `Fails where an administrator asks for ${name}.`,
    breaks: [`router.endpoints.admin-${name}`],
    patch: answering(every(isSuccess, onPath(`/admin/${name}`)), (reply) =>
      withBody(reply, { error: 'not implemented' }, 501),
    ),
  })),
  {
    name: 'responses-served',
    summary: 'Serves the responses route like a chat completion.',
    breaks: [
      'router.endpoints.responses-not-found',
      'router.endpoints.responses-reaches-no-engine',
    ],
    patch: (rules) => ({
      ...rules,
      routeAt: (path) => (path === '/v1/responses' ? { ...NATIVE, path } : rules.routeAt(path)),
      forward: (dispatch, context) => ({
        ...rules.forward(dispatch, context),
        path: dispatch.path.replace('/v1/responses', '/v1/chat/completions'),
      }),
    }),
  },
  {
    name: 'responses-is-501',
    summary: 'Answers the responses route with 501.',
    breaks: ['router.endpoints.responses-not-found'],
    patch: answering(onPath('/v1/responses'), (reply) => ({ ...reply, status: 501 })),
  },
  {
    name: 'responses-reaches-an-engine',
    summary: 'Asks an engine for the responses route and answers 404 all the same.',
    breaks: ['router.endpoints.responses-reaches-no-engine'],
    patch: (rules) => ({
      ...rules,
      routeAt: (path) => (path === '/v1/responses' ? { ...NATIVE, path } : rules.routeAt(path)),
      answer: (reply, context) =>
        context.path === '/v1/responses'
          ? { ...rules.answer(reply, context), status: 404 }
          : rules.answer(reply, context),
    }),
  },
  {
    name: 'answer-lost-beyond-ascii',
    summary: 'Fails on a completion that is not ASCII.',
    breaks: ['router.endpoints.chat-completions-answer'],
    patch: answering(
      (reply, context) =>
        isChat(reply, context) &&
        reply.status === 200 &&
        Buffer.from(reply.body).some((byte) => byte > 0x7f),
      (reply) => withError(refusal(reply, 502, 'backend_error'), { source: 'backend' }),
    ),
  },
  {
    name: 'answer-loses-line-ends',
    summary: 'Trims the text of a completion.',
    breaks: ['router.endpoints.chat-completions-body'],
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
  {
    name: 'numbers-in-tools-miscounted',
    summary: 'Cannot count the tokens of tools that hold a number, and takes them for too many.',
    breaks: ['router.endpoints.parameters-accepted'],
    patch: (rules) => ({
      ...rules,
      estimateInput: (body, context) =>
        /:\d/u.test(JSON.stringify(body['tools'] ?? null))
          ? Number.NaN
          : rules.estimateInput(body, context),
    }),
  },
  {
    name: 'null-in-tools-fails',
    summary: 'Fails on tools that hold null somewhere.',
    breaks: ['router.endpoints.parameters-accepted'],
    patch: (rules) => ({
      ...rules,
      estimateInput: (body, context) => {
        if (!JSON.stringify(body['tools'] ?? 'none').includes('null')) {
          return rules.estimateInput(body, context);
        }
        throw new TypeError('null has no members');
      },
    }),
  },
  ...(
    [
      ['chat-completions', 'chat completion', '/v1/chat/completions'],
      ['messages', 'message', '/v1/messages'],
    ] as const
  ).map(([name, what, path]): Fault<RouterRules> => ({
    name: `half-${name}-passed-on`,
    summary: `Passes on what came of a ${what} whose engine was lost as if that were all.`,
    breaks: ['router.endpoints.lost-answer-not-whole'],
    patch: (rules) => ({ ...rules, keepsHalfBodies: (context) => context.path === path }),
  })),
  ...(
    [
      ['max_tokens', 'max-tokens-accepted'],
      ['max_completion_tokens', 'max-completion-tokens-accepted'],
      ['reasoning_effort', 'parameters-accepted'],
      ['tool_choice', 'parameters-accepted'],
      ['top_p', 'parameters-accepted'],
    ] as const
  ).map(([field, slug]): Fault<RouterRules> => ({
    name: `${field.replaceAll('_', '-')}-refused`,
    summary: `Refuses a chat completion that carries ${field}.`,
    breaks: [`router.endpoints.${slug}`],
    patch: refusing(field),
  })),
]);
