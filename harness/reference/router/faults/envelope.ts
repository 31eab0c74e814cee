/** Errors whose body is not the envelope, or lacks a part of it. */

import { withHeader } from '../../http.ts';
import {
  answering,
  errorIn,
  every,
  faultTable,
  isRefusal,
  on,
  onPath,
  withBody,
  withCode,
  withError,
} from './words.ts';

const onModels = every(isRefusal, on({ path: '/v1/models' }));

const onRerank = every(isRefusal, on({ path: '/v1/rerank' }));

export const envelopeFaults = faultTable('router.envelope', {
  'object: refusal-in-plain-text': answering(onModels, (reply) =>
    withHeader(withBody(reply, 'unauthorized\n'), 'Content-Type', 'text/plain'),
  ),
  'object: refusal-like-an-administrator-route': answering(onRerank, (reply) =>
    withBody(reply, { error: errorIn(reply)['message'] }),
  ),
  'code: code-is-the-status': answering(onModels, (reply) =>
    withError(reply, { code: reply.status }),
  ),
  'message: message-is-null-on-rerank': answering(onRerank, (reply) =>
    withError(reply, { message: null }),
  ),
  'message: message-is-an-object-for-caps': {
    besides: ['router.limits.input-tokens-over', 'router.limits.images-over'],
    patch: answering(withCode('input_too_long'), (reply) =>
      withError(reply, { message: { text: 'too long' } }),
    ),
  },
  'source: source-in-upper-case-on-embeddings': answering(
    every(isRefusal, on({ path: '/v1/embeddings' })),
    (reply) => withError(reply, { source: 'ROUTER' }),
  ),
  'source: source-missing-on-detail': answering(
    every(isRefusal, onPath(/^\/v1\/models\//u)),
    (reply) => withError(reply, { source: undefined }),
  ),
  'content-type: errors-labelled-as-text': answering(
    every(isRefusal, on({ path: '/v1/messages' })),
    (reply) => withHeader(reply, 'Content-Type', 'text/plain; charset=utf-8'),
  ),
  'unregistered-not-found: unknown-paths-are-welcome': answering(
    (reply, context) =>
      reply.status === 404 && context.route === undefined && context.path !== '/v1/responses',
    (reply) => ({ ...reply, status: 200 }),
  ),
});
