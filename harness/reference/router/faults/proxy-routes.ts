/** What holds on the chat route, or for most answers of a proxy route, and not for some. */

import type { Fault } from '../../fault.ts';
import { withHeader } from '../../http.ts';
import type { RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import {
  amend,
  answering,
  every,
  faultTable,
  onPath,
  unless,
  type When,
  withBody,
  withCode,
} from './answering.ts';

const asksForStream: When = (_reply, context) => context.stream;
const onMessages = ({ path }: RequestContext): boolean => path === '/v1/messages';

/** Adds something at the end of messages streams that broke off. */
function endingMessages(text: string) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    streamTail: (complete, context) =>
      complete || !onMessages(context) ? rules.streamTail(complete, context) : Buffer.from(text),
  });
}

/** Does not know some envelopes of an engine on one route. */
function wrappingAgain(
  path: string,
  where: (code: string, json: unknown) => boolean,
): Fault<RouterRules>['patch'] {
  return amend('envelopeIn', (envelope, json, context) => {
    const lost = envelope !== undefined && context.path === path && where(envelope.code, json);
    return lost ? undefined : envelope;
  });
}

export const proxyRouteFaults = faultTable({
  'router.transparent-proxy.messages-error-wrapped': {
    'messages-stream-error-passed-through': {
      besides: ['router.envelope.object'],
      patch: answering(
        every(withCode('backend_error'), onPath('/v1/messages'), asksForStream),
        (reply) => withBody(reply, { type: 'error', detail: 'as the engine said' }, 400),
      ),
    },
  },
  'router.transparent-proxy.other-success-status': {
    'embeddings-201-becomes-200': answering(
      every((reply) => reply.status === 201, onPath('/v1/embeddings')),
      (reply) => ({ ...reply, status: 200 }),
    ),
    'messages-202-becomes-200': answering(
      every((reply) => reply.status === 202, onPath('/v1/messages')),
      (reply) => ({ ...reply, status: 200 }),
    ),
  },
  'router.transparent-proxy.stream-untouched': {
    'messages-stream-ends-with-an-error-event': endingMessages(
      'event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n',
    ),
    'messages-stream-ends-with-a-forged-stop': endingMessages(
      '\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
    ),
  },
  'router.streaming.drop-before-start': {
    'lost-engine-is-an-empty-messages-stream': answering(
      every(withCode('backend_unavailable'), onPath('/v1/messages'), asksForStream),
      (reply) => withHeader(withBody(reply, '', 200), 'Content-Type', 'text/event-stream'),
    ),
  },
  'router.transparent-proxy.embeddings-envelope-kept': {
    'embeddings-envelope-kept-where-it-stops': wrappingAgain(
      '/v1/embeddings',
      (code) => code === 'backend_unavailable',
    ),
  },
  'router.transparent-proxy.rerank-envelope-kept': {
    'rerank-large-envelope-wrapped-again': wrappingAgain(
      '/v1/rerank',
      (_code, json) => JSON.stringify(json).length > 512,
    ),
  },
  'router.retry-behaviour.retry-on-proxy': {
    'messages-drop-not-tried-elsewhere': {
      says: 'Ends a session on the messages route when the connection to an engine is lost.',
      patch: unless(
        'stops',
        (code, context) =>
          code === 'backend_unavailable' &&
          onMessages(context) &&
          context.model === 'scripted-pair',
        true,
      ),
    },
  },
});
