/**
 * Limits on bodies and inputs that apply too early, too late, for some requests only or not at all, and successes that
 * the router makes up.
 */

import { memberOf, type RequestBody, type RequestContext, RouterFailure } from '../model.ts';
import {
  answering,
  asStream,
  chained,
  contextIn,
  each,
  every,
  fails,
  faultTable,
  forces,
  gathered,
  isWhole,
  MESSAGES,
  on,
  onChat,
  onMessages,
  type Patch,
  refusal,
  replace,
  type RequestTest,
  type When,
} from './words.ts';
import { late, refusingLate, retelling, retoldAs, without } from './words-limits.ts';

const isChunked = ({ headers }: RequestContext): boolean => headers['content-length'] === undefined;

/** Some bodies are accepted whatever their size. */
function lettingBodies(test: (context: RequestContext) => boolean): Patch {
  return forces('fits', true, (_bytes, _limit, context) => test(context));
}

/** A request with a slice of its messages. */
const sliced =
  (from: number, to?: number) =>
  (body: RequestBody): RequestBody => {
    const messages = body['messages'];
    return Array.isArray(messages) ? { ...body, messages: messages.slice(from, to) } : body;
  };

const lastMessageOf = sliced(-1);
const firstMessageOf = sliced(0, 1);

/** The largest count of any single message, in place of the sum over all messages. */
function mostOf(count: (body: RequestBody) => number, body: RequestBody): number {
  const messages = body['messages'];
  if (!Array.isArray(messages)) return count(body);
  return Math.max(...messages.map((message: unknown) => count({ ...body, messages: [message] })));
}

const TOO_LONG = /longer than/u;

/** Some model ids are truncated to the allowed length. */
function shortening(where: (model: string, context: RequestContext) => boolean): Patch {
  return (rules) => ({
    requireModel: (body, context) => {
      const { model } = body;
      const long = typeof model === 'string' && where(model, context);
      return rules.requireModel(long ? { ...body, model: model.slice(0, 256) } : body, context);
    },
  });
}

function endingAt255(where: (context: RequestContext) => boolean): Patch {
  return fails(
    'requireModel',
    () => new RouterFailure('request_invalid', 'the id is too long'),
    ({ model }, context) => typeof model === 'string' && model.length > 255 && where(context),
  );
}

export const limitsFaults = faultTable('router.limits', {
  'body-at-limit: body-at-limit-refused': forces('fits', false, (bytes, limit) => bytes === limit),
  'body-over-limit: body-one-over-limit-let-in': replace(
    'fits',
    (original, bytes, limit, context) =>
      original(onChat(context) && !isChunked(context) ? bytes - 1 : bytes, limit, context),
  ),
  'body-over-limit + body-over-limit-chunked: body-limit-counts-characters': (rules) => {
    const limits = new WeakMap<RequestContext, number>();
    return {
      fits: (_bytes, limit, context) => limits.set(context, limit) !== undefined,
      parse: (bytes, context) => {
        const { length } = Buffer.from(bytes).toString('utf8');
        if (rules.fits(length, limits.get(context) ?? 0, context))
          return rules.parse(bytes, context);
        throw new RouterFailure('too_large', 'the body is too large', { status: 413 });
      },
    };
  },
  'body-over-limit-chunked + body-over-limit-proxy: chunked-bodies-unlimited':
    lettingBodies(isChunked),
  'body-over-limit-reaches-no-engine: oversize-refused-late': refusingLate(
    (rules, mark) => ({
      fits: (bytes, limit, context) => {
        if (rules.fits(bytes, limit, context)) return true;
        mark(context);
        return onChat(context);
      },
    }),
    (reply) => refusal(reply, 'too_large', {}, 413),
  ),
  'input-tokens-over: input-cap-is-ten-times-as-high': replace(
    'withinCaps',
    (original, model, input, images, context) => original(model, input / 10, images, context),
  ),
  'input-tokens-over: input-cap-ignored-in-streams': replace(
    'withinCaps',
    (original, model, input, images, context) =>
      original(model, context.stream ? 0 : input, images, context),
  ),
  'input-tokens-over: input-cap-counts-no-parts': forces('estimateInput', 1, (body) =>
    JSON.stringify(body).includes('"type":"text"'),
  ),
  'input-tokens-over: input-cap-counts-the-last-message': replace(
    'estimateInput',
    (original, body, context) => original(lastMessageOf(body), context),
  ),
  'input-tokens-over: input-cap-counts-the-first-message': replace(
    'estimateInput',
    (original, body, context) => original(firstMessageOf(body), context),
  ),
  'input-tokens-over: input-cap-counts-each-message-by-itself': replace(
    'estimateInput',
    (original, body, context) => mostOf((one) => original(one, context), body),
  ),
  'input-tokens-over: input-cap-counts-what-users-say': replace(
    'estimateInput',
    (original, body, context) => {
      const messages = body['messages'];
      if (!Array.isArray(messages)) return original(body, context);
      const said = messages.filter((message) => memberOf(message, 'role') === 'user');
      return original({ ...body, messages: said }, context);
    },
  ),
  'input-tokens-under: capped-model-refuses-everything-long': replace(
    'withinCaps',
    (original, model, input, images, context) =>
      original(model, images === 0 ? input * 1_000_000 : input, images, context),
  ),
  'input-tokens-under: requested-output-counts-as-input': replace(
    'withinCaps',
    (original, model, input, images, context) =>
      original(model, input + Number(context.body?.['max_tokens'] ?? 0), images, context),
  ),
  ...each.amend('countImages', {
    'images-over + input-caps-reach-no-engine: one-image-over-the-cap-passes': (images) =>
      Math.max(0, images - 1),
    'images-at: images-at-the-cap-refused': (count) => (count === 0 ? 0 : count + 1),
  }),
  'images-over + router.codes.input_too_long-status: images-over-the-cap-are-413': answering(
    every(on({ code: 'input_too_long' }), (_reply, { body }) =>
      JSON.stringify(body ?? '').includes('"image'),
    ),
    (reply) => refusal(reply, 'input_too_long', {}, 413),
  ),
  'images-over: image-cap-counts-the-last-message': replace(
    'countImages',
    (original, body, context) => original(lastMessageOf(body), context),
  ),
  'images-over: image-cap-counts-the-first-message': replace(
    'countImages',
    (original, body, context) => original(firstMessageOf(body), context),
  ),
  'images-over: image-cap-counts-each-message-by-itself': replace(
    'countImages',
    (original, body, context) => mostOf((one) => original(one, context), body),
  ),
  ...each.forces('countImages', 0, {
    'images-over: linked-images-not-counted': (body) =>
      /"url":"https?:/u.test(JSON.stringify(body)),
    'input-caps-on-messages: image-cap-ignored-on-messages': onMessages,
  }),
  ...each.forces('withinCaps', true, {
    'input-caps-on-messages: input-cap-ignored-for-streams-on-messages': on({
      path: MESSAGES,
      stream: true,
    }),
  }),
  'input-caps-reach-no-engine: caps-looked-at-late': late('withinCaps', false, 'input_too_long'),
  'model-id-257-proxy: model-id-257-let-through-on-count-tokens': retelling(
    'requireModel',
    (text, { path }) => TOO_LONG.test(text) && path === '/v1/messages/count_tokens',
    retoldAs('model_not_found'),
  ),
  'model-id-256: model-id-ends-at-255-on-rerank': endingAt255(on({ path: '/v1/rerank' })),
  'model-id-256: model-id-ends-at-255': endingAt255(() => true),
  'model-id-257-chat: model-id-257-let-through-in-streams': shortening(asStream),
  'model-id-257-chat: model-id-257-let-through-with-an-owner': shortening(
    (model) => model.includes('/') && model.length < 260,
  ),
  ...gathered(['messages', 'messages/count_tokens'], (route) => ({
    [`body-over-limit-proxy: ${route.replace(/^.*\//u, '').replace('_', '-')}-bodies-unlimited`]:
      lettingBodies(({ path }) => path === `/v1/${route}`),
  })),
});

const withTools: RequestTest = ({ body }) => body?.['tools'] !== undefined;

/** Limits that requests with tools escape, each with the requirements that this breaks. */
const escaped = (limits: readonly (readonly [Parameters<typeof without>[0], string])[]) =>
  gathered(limits, ([limit, aim]) => ({
    [`${aim}: ${limit}-unlimited-with-tools`]: without(limit, withTools),
  }));

/** What came of a success is less than its engine announced. */
const isCutShort: When = (reply, { engineHeaders }) =>
  reply.body.length < Number(engineHeaders?.['content-length'] ?? 0);

const madeUp = gathered(
  [
    ['messages', '/v1/messages'],
    ['count-tokens', '/v1/messages/count_tokens'],
    ['embeddings', '/v1/embeddings'],
    ['rerank', '/v1/rerank'],
  ],
  ([slug, path]) => ({
    [`${slug}-success-untouched: lost-${slug}-success-comes-as-an-empty-object`]: chained(
      () => ({ keepsHalfBodies: (context) => context.path === path }),
      answering(every(isWhole, isCutShort, on({ path })), (reply) => ({ ...reply, body: '{}' })),
    ),
  }),
);

export const contentsFaults = [
  ...faultTable('router.rate-limit-rules', {
    ...escaped([
      ['requests', 'exhausted-bucket'],
      ['declaration', 'undeclared-model-reaches-no-engine'],
      ['share', 'serverless-occupancy-current'],
      ['input-rate', 'serverless-input-rate-current'],
      ['output-rate', 'serverless-output-rate-later'],
    ]),
    'exhausted-bucket: long-requests-are-not-counted': without(
      'requests',
      ({ headers }) => Number(headers['content-length']) > 1_500,
    ),
    'exhausted-bucket: requests-with-the-newer-maximum-are-not-counted': without(
      'requests',
      ({ body }) => body?.['max_completion_tokens'] !== undefined,
    ),
    'serverless-output-rate-later: small-maxima-pass-an-exhausted-output-rate': without(
      'output-rate',
      ({ body }) => Number(body?.['max_tokens']) < 4,
    ),
  }),
  ...faultTable('router.admission', {
    ...escaped([
      ['inflight', 'inflight-over-reaches-no-engine'],
      ['occupancy', 'occupancy-over'],
      ['slot', 'slots-full + slots-full-reaches-no-engine'],
    ]),
    'shed-reaches-no-engine: requests-with-tools-are-not-shed': forces('sheds', false, (...args) =>
      withTools(contextIn(args)),
    ),
  }),
  ...faultTable('router.transparent-proxy', madeUp),
];
