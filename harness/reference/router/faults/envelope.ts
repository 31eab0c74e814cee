/** Errors whose body is not the envelope, or lacks a part of it. */

import { declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, errorIn, every, onPath, withBody, withCode, withError } from './answering.ts';
import type { When } from './answering.ts';

const isRefusal: When = (reply) => reply.status === 401;
const onModels = every(isRefusal, onPath('/v1/models'));
const onRerank = every(isRefusal, onPath('/v1/rerank'));

export const envelopeFaults = declareFaults<RouterRules>([
  {
    name: 'refusal-in-plain-text',
    summary: 'Refuses credentials in plain text where models are listed.',
    breaks: ['router.envelope.object'],
    patch: answering(onModels, (reply) =>
      withHeader(withBody(reply, 'unauthorized\n'), 'Content-Type', 'text/plain'),
    ),
  },
  {
    name: 'refusal-like-an-administrator-route',
    summary: 'Uses the shorter form of administrator routes on the rerank route.',
    breaks: ['router.envelope.object'],
    patch: answering(onRerank, (reply) => withBody(reply, { error: errorIn(reply)['message'] })),
  },
  {
    name: 'error-without-the-outer-object',
    summary: 'Leaves out the object around code, message and source of an engine error.',
    breaks: ['router.envelope.object', 'router.backend-classification.status-other'],
    patch: answering(every(withCode('backend_error'), onPath('/v1/chat/completions')), (reply) =>
      withBody(reply, errorIn(reply)),
    ),
  },
  {
    name: 'errors-in-a-list',
    summary: 'Gives a list of errors where the detail of a model is refused.',
    breaks: ['router.envelope.object'],
    patch: answering(every(isRefusal, onPath(/^\/v1\/models\//u)), (reply) =>
      withBody(reply, { error: [errorIn(reply)] }),
    ),
  },
  {
    name: 'code-is-the-status',
    summary: 'Gives the status as the code of a refusal where models are listed.',
    breaks: ['router.envelope.code'],
    patch: answering(onModels, (reply) => withError(reply, { code: reply.status })),
  },
  {
    name: 'message-is-null-on-rerank',
    summary: 'Gives no message with a refusal on the rerank route.',
    breaks: ['router.envelope.message'],
    patch: answering(onRerank, (reply) => withError(reply, { message: null })),
  },
  {
    name: 'message-is-an-object-for-caps',
    summary: 'Gives an object as the message of input_too_long.',
    breaks: [
      'router.envelope.message',
      'router.limits.input-tokens-over',
      'router.limits.images-over',
    ],
    patch: answering(withCode('input_too_long'), (reply) =>
      withError(reply, { message: { text: 'too long' } }),
    ),
  },
  {
    name: 'source-is-gateway-on-models',
    summary: 'Names a source of its own where models are listed.',
    breaks: ['router.envelope.source'],
    patch: answering(onModels, (reply) => withError(reply, { source: 'gateway' })),
  },
  {
    name: 'source-in-upper-case-on-embeddings',
    summary: 'Writes the source in upper case in refusals of the embeddings route.',
    breaks: ['router.envelope.source'],
    patch: answering(every(isRefusal, onPath('/v1/embeddings')), (reply) =>
      withError(reply, { source: 'ROUTER' }),
    ),
  },
  {
    name: 'source-missing-on-detail',
    summary: 'Names no source in refusals of the detail of a model.',
    breaks: ['router.envelope.source'],
    patch: answering(every(isRefusal, onPath(/^\/v1\/models\//u)), (reply) =>
      withError(reply, { source: undefined }),
    ),
  },
  {
    name: 'errors-labelled-as-text',
    summary: 'Labels the envelope of a refusal as plain text on the messages route.',
    breaks: ['router.envelope.content-type'],
    patch: answering(every(isRefusal, onPath('/v1/messages')), (reply) =>
      withHeader(reply, 'Content-Type', 'text/plain; charset=utf-8'),
    ),
  },
  {
    name: 'unknown-paths-are-welcome',
    summary: 'Answers 200 on paths that no route has.',
    breaks: ['router.envelope.unregistered-not-found'],
    patch: answering(
      (reply, context) =>
        reply.status === 404 && context.route === undefined && context.path !== '/v1/responses',
      (reply) => ({ ...reply, status: 200 }),
    ),
  },
]);
