/** Errors whose body is not the envelope, or lacks a part of it. */

import { withHeader } from '../../http.ts';
import {
  answering,
  errorIn,
  every,
  faultTable,
  onPath,
  type When,
  withBody,
  withCode,
  withError,
} from './answering.ts';

const isRefusal: When = (reply) => reply.status === 401;
const onModels = every(isRefusal, onPath('/v1/models'));
const onRerank = every(isRefusal, onPath('/v1/rerank'));

export const envelopeFaults = faultTable({
  'router.envelope.object': {
    'refusal-in-plain-text': answering(onModels, (reply) =>
      withHeader(withBody(reply, 'unauthorized\n'), 'Content-Type', 'text/plain'),
    ),
    'refusal-like-an-administrator-route': answering(onRerank, (reply) =>
      withBody(reply, { error: errorIn(reply)['message'] }),
    ),
    'errors-in-a-list': answering(every(isRefusal, onPath(/^\/v1\/models\//u)), (reply) =>
      withBody(reply, { error: [errorIn(reply)] }),
    ),
  },
  'router.envelope.code': {
    'code-is-the-status': answering(onModels, (reply) => withError(reply, { code: reply.status })),
  },
  'router.envelope.message': {
    'message-is-null-on-rerank': answering(onRerank, (reply) =>
      withError(reply, { message: null }),
    ),
    'message-is-an-object-for-caps': {
      besides: ['router.limits.input-tokens-over', 'router.limits.images-over'],
      patch: answering(withCode('input_too_long'), (reply) =>
        withError(reply, { message: { text: 'too long' } }),
      ),
    },
  },
  'router.envelope.source': {
    'source-is-gateway-on-models': answering(onModels, (reply) =>
      withError(reply, { source: 'gateway' }),
    ),
    'source-in-upper-case-on-embeddings': answering(
      every(isRefusal, onPath('/v1/embeddings')),
      (reply) => withError(reply, { source: 'ROUTER' }),
    ),
    'source-missing-on-detail': answering(every(isRefusal, onPath(/^\/v1\/models\//u)), (reply) =>
      withError(reply, { source: undefined }),
    ),
  },
  'router.envelope.content-type': {
    'errors-labelled-as-text': answering(every(isRefusal, onPath('/v1/messages')), (reply) =>
      withHeader(reply, 'Content-Type', 'text/plain; charset=utf-8'),
    ),
  },
  'router.envelope.unregistered-not-found': {
    'unknown-paths-are-welcome': answering(
      (reply, context) =>
        reply.status === 404 && context.route === undefined && context.path !== '/v1/responses',
      (reply) => ({ ...reply, status: 200 }),
    ),
  },
});
