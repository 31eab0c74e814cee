/** Endpoints: the known routes and what each is for. */

import { z } from 'zod';
import { routerSection } from './section.ts';

/**
 * - `models`: answered by the router itself.
 * - `native`: backend errors are classified.
 * - `proxy`: backend answers are forwarded, errors wrapped.
 * - `admin`: for administrators.
 */
export type RouteFamily = 'models' | 'native' | 'proxy' | 'admin';

export interface KnownRoute {
  readonly method: 'GET' | 'POST';
  /** Path below the base URL; `{model}` stands for a model id. */
  readonly path: string;
  readonly family: RouteFamily;
}

/** The routes of the endpoint table (router#endpoints). */
export const knownRoutes = {
  models: { method: 'GET', path: '/v1/models', family: 'models' },
  model: { method: 'GET', path: '/v1/models/{model}', family: 'models' },
  chatCompletions: { method: 'POST', path: '/v1/chat/completions', family: 'native' },
  messages: { method: 'POST', path: '/v1/messages', family: 'proxy' },
  countTokens: { method: 'POST', path: '/v1/messages/count_tokens', family: 'proxy' },
  embeddings: { method: 'POST', path: '/v1/embeddings', family: 'proxy' },
  rerank: { method: 'POST', path: '/v1/rerank', family: 'proxy' },
  adminHealth: { method: 'GET', path: '/admin/health', family: 'admin' },
  adminRoutingTable: { method: 'GET', path: '/admin/routing-table', family: 'admin' },
} as const satisfies Readonly<Record<string, KnownRoute>>;

export type RouteName = keyof typeof knownRoutes;

/** The transparent proxy routes in the order of the document. */
const proxyRoutes = ['messages', 'countTokens', 'embeddings', 'rerank'] as const;
export type ProxyRoute = (typeof proxyRoutes)[number];

/** The route that is named only to say that it is not served (router#endpoints/responses). */
export const unsupportedRoute = { method: 'POST', path: '/v1/responses' } as const;

/** The model list; further fields are allowed on both levels (router#endpoints/get-models). */
export const modelList = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

const SERVED = 'an authenticated request for an unknown model is answered by the envelope';

export const endpointRequirements = routerSection('endpoints', {
  'models-list-data': {
    clause: 'router#endpoints/get-models',
    strength: 'stated',
    statement: 'The model list is an object whose `data` is an array.',
    universal: true,
  },
  'models-list-item-id': {
    clause: 'router#endpoints/get-models',
    strength: 'stated',
    statement: 'Each item of the model list has an `id` that is a string.',
    universal: true,
  },
  'models-list-hides': {
    clause: 'router#endpoints/get-models/visibility',
    strength: 'implied',
    statement: 'The model list of a caller leaves out a model that the caller may not see.',
    needs: ['models.hidden'],
  },
  'model-detail-listed': {
    clause: 'router#endpoints/get-model',
    strength: 'implied',
    statement: 'The detail of a model that the list shows is a success.',
  },
  'model-detail-hidden': {
    clause: 'router#endpoints/get-model',
    strength: 'stated',
    statement:
      'The detail of a model that exists but is hidden from the caller is model_not_found.',
    needs: ['models.hidden'],
  },
  'model-detail-hidden-like-unknown': {
    clause: 'router#endpoints/get-model',
    strength: 'implied',
    statement: 'A hidden model and one that does not exist give the same status, code and source.',
    needs: ['models.hidden'],
  },
  'chat-completions-route': {
    clause: 'router#endpoints/chat-completions',
    strength: 'stated',
    statement: 'The chat completions route exists.',
    judged: SERVED,
  },
  'chat-completions-answer': {
    clause: 'router#overview/outcome',
    strength: 'stated',
    statement: 'A chat completion that the engine answers reaches the client as a success.',
    needs: ['backend', 'models.chat'],
  },
  'forwarded-path': {
    clause: 'router#overview/routing',
    strength: 'implied',
    statement: 'A request of an inference route reaches the engine at the path of that route.',
    judged: 'behind any prefix, with or without the version',
    needs: ['backend', 'models.chat'],
  },
  'forwarded-fields': {
    clause: 'router#endpoints/request-fields',
    strength: 'implied',
    statement: 'What a chat completion asks for beside its text reaches the engine as it was sent.',
    judged:
      'the fields that the document names; the maximum output under either of its names, and what an engine has no use for may be refused',
    needs: ['backend', 'models.chat'],
  },
  'chat-completions-body': {
    clause: 'router#overview/outcome',
    strength: 'implied',
    statement: 'A successful chat completion has the choices that the engine sent.',
    judged:
      'ids, names, usage and further members are the router’s own affair; so are members that are null',
    needs: ['backend', 'models.chat'],
  },
  'lost-answer-not-whole': {
    clause: 'router#overview/outcome',
    strength: 'implied',
    statement:
      'The beginning of an answer whose engine was lost in the middle of its body does not pass for a whole answer.',
    judged:
      'chat and the messages route; an error, the answer of another agent, and an answer cut short are all right',
    needs: ['backend', 'models.chat'],
  },
  'messages-route': {
    clause: 'router#endpoints/messages',
    strength: 'stated',
    statement: 'The messages route exists.',
    judged: SERVED,
  },
  'count-tokens-route': {
    clause: 'router#endpoints/count-tokens',
    strength: 'stated',
    statement: 'The token counting route exists.',
    judged: SERVED,
  },
  'embeddings-route': {
    clause: 'router#endpoints/embeddings',
    strength: 'stated',
    statement: 'The embeddings route exists.',
    judged: SERVED,
  },
  'rerank-route': {
    clause: 'router#endpoints/rerank',
    strength: 'stated',
    statement: 'The rerank route exists.',
    judged: SERVED,
  },
  'admin-health': {
    clause: 'router#endpoints/admin-health',
    strength: 'stated',
    statement: 'Fleet health is there for an administrator key.',
    judged: 'a success; a 503 may be how it tells of an unhealthy fleet, and shows nothing',
    needs: ['keys.admin'],
  },
  'admin-routing-table': {
    clause: 'router#endpoints/admin-routing-table',
    strength: 'stated',
    statement: 'The routing table is a success for an administrator key.',
    needs: ['keys.admin'],
  },
  'responses-not-found': {
    clause: 'router#endpoints/responses',
    strength: 'stated',
    statement: 'The responses route answers 404, with a valid key and a served model too.',
  },
  'responses-reaches-no-engine': {
    clause: 'router#endpoints/responses',
    strength: 'stated',
    statement: 'A request to the responses route reaches no engine.',
    needs: ['backend', 'models.chat'],
  },
  'responses-body': {
    clause: 'router#endpoints/responses',
    strength: 'open',
    statement: 'What the 404 of the responses route says.',
  },
  'max-tokens-accepted': {
    clause: 'router#endpoints/request-fields',
    strength: 'stated',
    statement: 'A chat completion may carry `max_tokens`.',
    needs: ['backend', 'models.chat'],
  },
  'max-completion-tokens-accepted': {
    clause: 'router#endpoints/request-fields',
    strength: 'stated',
    statement: 'A chat completion may carry `max_completion_tokens`.',
    needs: ['backend', 'models.chat'],
  },
  'parameters-accepted': {
    clause: 'router#endpoints/request-fields',
    strength: 'stated',
    statement: 'A chat completion may carry the other named fields, such as temperature and tools.',
    judged:
      'a request_invalid or no_agents_available shows nothing where the field asks for a capability that an engine may lack',
    needs: ['backend', 'models.chat'],
  },
});
