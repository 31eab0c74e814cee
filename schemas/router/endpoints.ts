/** Endpoints: the known routes and what each is for. */

import { chat } from './needs.ts';
import { z } from 'zod';
import { all, clause, excluded, stated, implied, open, section } from '../requirement.ts';

/**
 * - `models`: the router itself answers.
 * - `native`: the agent classifies backend errors.
 * - `proxy`: the agent forwards backend responses, and the router wraps errors.
 * - `admin`: needs an administrator key.
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

const proxyRoutes = ['messages', 'countTokens', 'embeddings', 'rerank'] as const;

export type ProxyRoute = (typeof proxyRoutes)[number];

/** The route that the contract names as unsupported (router#endpoints/responses). */
export const unsupportedRoute = { method: 'POST', path: '/v1/responses' } as const;

/** The model list; further fields are allowed on both levels (router#endpoints/get-models). */
export const modelList = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

const SERVED = 'an authenticated request for an unknown model is answered by the envelope';

export const endpoint = section('router', 'endpoints', [
  excluded.heading('overview', 'Opening paragraph'),
  clause('overview/routing', 'What the service does: routing', {
    'forwarded-path': chat.implied(
      'A request of an inference route reaches the engine at the path of that route.',
      'behind any prefix, with or without the version',
    ),
  }),
  excluded(
    'overview/admission',
    'What the service does: admission control',
    'a summary; the limits that it names are judged at their own rows',
  ),
  clause('overview/outcome', 'What the service does: backend response or error', {
    'chat-completions-answer': chat.stated(
      'A chat completion that the engine answers reaches the client as a success.',
    ),
    'chat-completions-body': chat.implied(
      'A successful chat completion has the choices that the engine sent.',
      'ids, names, usage and further members are the router’s own affair; so are members that are null',
    ),
    'chat-completions-odd-success': chat.open(
      'What becomes of a success of the chat engine that is no completion: nothing, a list, a text, a number.',
    ),
    'lost-answer-not-whole': chat.implied(
      'The beginning of an answer whose engine was lost in the middle of its body does not pass for a whole answer.',
      'chat and the messages route; an error, the answer of another agent, and an answer cut short are all right',
    ),
  }),
  excluded.heading('endpoints', 'Endpoints'),
  clause('endpoints/get-models', 'Endpoints: table, model list', {
    'models-list-data': stated.universal('The model list is an object whose `data` is an array.'),
    'models-list-item-id': stated.universal(
      'Each item of the model list has an `id` that is a string.',
    ),
  }),
  clause('endpoints/get-models/visibility', 'Endpoints: table, model list, visibility', {
    'models-list-hides': implied(
      'The model list of a caller leaves out a model that the caller may not see.',
      ['models.hidden'],
    ),
  }),
  clause('endpoints/get-model', 'Endpoints: table, model detail', {
    'model-detail-route': stated('The detail of some model that the list shows is a success.', {
      judged: 'the plain chat model and the first three of the list',
    }),
    'model-detail-listed': implied('The detail of a model that the list shows is a success.'),
    'model-detail-hidden': stated(
      'The detail of a model that exists but is hidden from the caller is model_not_found.',
      ['models.hidden'],
    ),
    'model-detail-hidden-like-unknown': implied(
      'A hidden model and one that does not exist give the same status, code and source.',
      ['models.hidden'],
    ),
  }),
  clause('endpoints/chat-completions', 'Endpoints: table, chat completions', {
    'chat-completions-route': stated('The chat completions route exists.', { judged: SERVED }),
  }),
  clause('endpoints/messages', 'Endpoints: table, messages', {
    'messages-route': stated('The messages route exists.', { judged: SERVED }),
  }),
  clause('endpoints/count-tokens', 'Endpoints: table, count tokens', {
    'count-tokens-route': stated('The token counting route exists.', { judged: SERVED }),
  }),
  clause('endpoints/embeddings', 'Endpoints: table, embeddings', {
    'embeddings-route': stated('The embeddings route exists.', { judged: SERVED }),
  }),
  clause('endpoints/rerank', 'Endpoints: table, rerank', {
    'rerank-route': stated('The rerank route exists.', { judged: SERVED }),
  }),
  clause('endpoints/admin-health', 'Endpoints: table, fleet health', {
    'admin-health': stated('Fleet health is there for an administrator key.', {
      judged: 'a success; a 503 may be how it tells of an unhealthy fleet, and shows nothing',
      needs: ['keys.admin'],
    }),
  }),
  clause('endpoints/admin-routing-table', 'Endpoints: table, routing state', {
    'admin-routing-table': stated('The routing table is a success for an administrator key.', [
      'keys.admin',
    ]),
  }),
  clause('endpoints/responses', 'Endpoints: first point, the unsupported route', {
    'responses-not-found': stated(
      'The responses route answers 404, with a valid key and a served model too.',
    ),
    'responses-reaches-no-engine': chat.stated(
      'A request to the responses route reaches no engine.',
    ),
    'responses-body': open('What the 404 of the responses route says.'),
  }),
  clause('endpoints/request-fields', 'Endpoints: second point, other fields', {
    'forwarded-fields': chat.implied(
      'What a chat completion asks for beside its text reaches the engine as it was sent.',
      'the fields that the document names; the maximum output under either of its names, and what an engine has no use for may be refused',
    ),
    ...all(stated, chat.needs, {
      'max-tokens-accepted': 'A chat completion may carry `max_tokens`.',
      'max-completion-tokens-accepted': 'A chat completion may carry `max_completion_tokens`.',
    }),
    'parameters-accepted': chat.stated(
      'A chat completion may carry the other named fields, such as temperature and tools.',
      'a request_invalid or no_agents_available shows nothing where the field asks for a capability that an engine may lack',
    ),
  }),
  excluded.notShown('endpoints/payloads', 'Endpoints: fourth point'),
]);
