/** Routes that are missing, return too much or show hidden models. */

import { jsonIn, memberOf, type RequestContext, RouterFailure } from '../model.ts';
import { type Reply, withHeader } from '../../http.ts';
import {
  amend,
  answering,
  before,
  chained,
  CHAT,
  each,
  every,
  fails,
  faultTable,
  forces,
  forwarding,
  gathered,
  MESSAGES,
  on,
  onChat,
  type Patch,
  refused,
  rows,
  withBody,
  withError,
  withMembers,
} from './words.ts';

const LONGEST_ANSWER = 100_000;

const NATIVE = { method: 'POST', family: 'native', capability: 'chat', generates: true } as const;

const onList = on({ status: 200, path: '/v1/models' });
const onDetail = on({ family: 'model' });
const onHidden = on({ code: 'model_not_found', path: '/v1/models/scripted-hidden' });
const onResponses = on({ path: '/v1/responses' });

/** Changes the items of the model list. */
function listing(change: (items: readonly unknown[]) => unknown): Patch {
  return answering(onList, (reply) => {
    const data = memberOf(jsonIn(Buffer.from(reply.body)), 'data');
    return withBody(reply, change(Array.isArray(data) ? data : []));
  });
}

/** Refuses a valid member of a chat completion. */
function refusing(field: string): Patch {
  return amend('parse', (body, _bytes, context) => {
    // Of the maxima, only the small one is refused: a router may refuse large values.
    const value = body[field];
    if (value === undefined || (typeof value === 'number' && value !== 16 && field !== 'top_p'))
      return body;
    if (!onChat(context) || context.model !== undefined) return body;
    // For reasoning_effort, request_invalid would be allowed, since the engines may lack the capability.
    const code = field === 'reasoning_effort' ? 'invalid_parameter' : 'request_invalid';
    throw new RouterFailure(code, `there is no member ${field}`);
  });
}

const knownMembers = new Set([
  'model',
  'messages',
  'stream',
  'max_tokens',
  'max_completion_tokens',
]);

/** Answers an unknown model like an unknown path, so that the route seems to be missing. */
const gone = gathered(
  [
    ['chat-completions', CHAT, 'chat'],
    ['messages', MESSAGES, 'proxy'],
    ['count-tokens', '/v1/messages/count_tokens', 'proxy'],
    ['embeddings', '/v1/embeddings', 'proxy'],
    ['rerank', '/v1/rerank', 'proxy'],
  ],
  ([slug, path, family]) => ({
    [`${slug}-route + router.envelope.object + router.codes.unknown-model-${family}: ${slug}-gone-for-unknown-models`]:
      answering(on({ code: 'model_not_found', path }), (reply) =>
        withHeader(withBody(reply, 'not found\n'), 'Content-Type', 'text/plain'),
      ),
  }),
);

export const endpointsFaults = faultTable('router.endpoints', {
  'chat-completions-answer: chat-203-is-a-failure': forces(
    'isSuccess',
    false,
    (status, { path }) => status === 203 && path === CHAT,
  ),
  'chat-completions-answer: long-answers-cut': answering(
    every(onChat, (reply) => reply.body.length > LONGEST_ANSWER),
    (reply) => ({ ...reply, body: Buffer.from(reply.body).subarray(0, LONGEST_ANSWER) }),
  ),
  'chat-completions-answer: answers-told-to-another': (rules) => {
    const underWay = new Set<RequestContext>();
    let last: Reply['body'] | undefined;
    return chained(
      before('capable', (_model, _route, context) => {
        if (context.path === CHAT && !context.stream) underWay.add(context);
      }),
      amend('answer', (answer, _reply, context) => {
        if (!underWay.delete(context) || answer.status !== 200) return answer;
        const body = (underWay.size > 0 ? last : undefined) ?? answer.body;
        last = answer.body;
        return { ...answer, body };
      }),
    )(rules);
  },
  'models-list-data: model-list-is-bare': listing((items) => items),
  'models-list-data: model-list-by-id': listing((items) => ({
    data: Object.fromEntries(items.entries()),
  })),
  'models-list-data: model-list-is-cut-short': answering(onList, (reply) => ({
    ...reply,
    cutAfter: reply.body.length - 1,
  })),
  'models-list-item-id: last-listed-id-is-a-number': listing((items) => ({
    data: [...items.slice(0, -1), { id: 7 }],
  })),
  'models-list-item-id: one-listed-model-has-no-id': listing((items) => ({
    data: [...items, { name: 'nameless' }],
  })),
  ...each.forces('sees', true, {
    'models-list-hides: hidden-model-listed': on({ path: '/v1/models' }),
    'model-detail-hidden: hidden-model-has-a-detail': onDetail,
    'model-detail-hidden: hidden-model-has-a-detail-where-its-hyphen-is-escaped': (
      _key,
      _model,
      { path },
    ) => /%2d/iu.test(path),
  }),
  'model-detail-hidden: details-shown-are-remembered-for-everybody': (rules) => {
    const shown = new Set<string>();
    return {
      sees: (key, model, context) => {
        const sees = rules.sees(key, model, context);
        if (!context.path.startsWith('/v1/models/')) return sees;
        if (sees) shown.add(model.id);
        return shown.has(model.id);
      },
    };
  },
  'model-detail-hidden + model-detail-hidden-like-unknown: hidden-model-forbidden': answering(
    onHidden,
    (reply) => withError(reply, { code: 'model_forbidden' }, 403),
  ),
  'model-detail-hidden-like-unknown + router.codes.model_not_found-source: hidden-model-blamed-on-backend':
    answering(onHidden, (reply) => withError(reply, { source: 'backend' })),
  ...each.forces('findModel', undefined, {
    'model-detail-route + model-detail-listed: no-model-has-a-detail': onDetail,
    'model-detail-listed: listed-model-without-detail': (_models, id, context) =>
      onDetail(context) && id === 'scripted-embedding',
  }),
  'responses-not-found + responses-reaches-no-engine: responses-served': (rules) => ({
    routeAt: (path) => (path === '/v1/responses' ? { ...NATIVE, path } : rules.routeAt(path)),
    forward: (dispatch, context) => ({
      ...rules.forward(dispatch, context),
      path: dispatch.path.replace('/v1/responses', '/v1/chat/completions'),
    }),
  }),
  ...refused('request_invalid', {
    'responses-not-found: responses-without-json-is-invalid': every(
      onResponses,
      (_reply, { headers }) => Number(headers['content-length'] ?? 0) < 2,
    ),
  }),
  'responses-reaches-no-engine: responses-reaches-an-engine': (rules) => ({
    routeAt: (path) => (path === '/v1/responses' ? { ...NATIVE, path } : rules.routeAt(path)),
    answer: (reply, context) => {
      const plain = rules.answer(reply, context);
      return onResponses(context) ? { ...plain, status: 404 } : plain;
    },
  }),
  'chat-completions-body: answer-loses-line-ends': answering(
    on({ status: 200, path: CHAT, stream: false }),
    (reply) =>
      withBody(
        reply,
        JSON.stringify(jsonIn(Buffer.from(reply.body)), (name, value: unknown) =>
          name === 'content' && typeof value === 'string' ? value.trim() : value,
        ),
      ),
  ),
  'parameters-accepted: numbers-in-tools-miscounted': forces(
    'estimateInput',
    () => Number.NaN,
    (body) => /:\d/u.test(JSON.stringify(body['tools'] ?? null)),
  ),
  'parameters-accepted: null-in-tools-fails': fails(
    'estimateInput',
    () => new TypeError('null has no members'),
    (body) => JSON.stringify(body['tools'] ?? 'none').includes('null'),
  ),
  ...rows(
    (keeps: (name: string) => boolean) =>
      forwarding(onChat, ({ body }) => ({ body: withMembers(body, keeps) })),
    {
      'forwarded-fields: chat-completions-forwarded-without-tools-and-sampling': (name) =>
        knownMembers.has(name),
      'forwarded-fields: chat-completions-forwarded-without-max-tokens': (name) =>
        name !== 'max_tokens',
    },
  ),
  'forwarded-path: count-tokens-sent-to-messages': forwarding(
    on({ path: '/v1/messages/count_tokens' }),
    () => ({ path: MESSAGES }),
  ),
  ...gone,
  ...gathered(['health', 'routing-table'], (name) => ({
    [`admin-${name}: admin-${name}-fails`]: answering(
      on({ status: 200, path: `/admin/${name}` }),
      (reply) => withBody(reply, { error: 'not implemented' }, 501),
    ),
  })),
  ...gathered(
    [
      ['chat-completions', '/v1/chat/completions'],
      ['messages', '/v1/messages'],
    ],
    ([name, path]) => ({
      [`lost-answer-not-whole: half-${name}-passed-on`]: () => ({
        keepsHalfBodies: (context) => context.path === path,
      }),
    }),
  ),
  ...gathered(
    [
      ['max_tokens', 'max-tokens-accepted'],
      ['max_completion_tokens', 'max-completion-tokens-accepted'],
      ['reasoning_effort', 'parameters-accepted'],
      ['top_p', 'parameters-accepted'],
    ],
    ([field, slug]) => ({
      [`${slug}: ${field.replaceAll('_', '-')}-refused`]: refusing(field),
    }),
  ),
});
