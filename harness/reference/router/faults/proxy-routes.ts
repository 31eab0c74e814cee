/** What holds on the chat route, or for most answers of a proxy route, and not for some. */

import { type Fault, declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import type { RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, every, onPath, withBody, withCode } from './answering.ts';
import type { When } from './answering.ts';

const ID = 'router.transparent-proxy';

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
  return (rules) => ({
    ...rules,
    envelopeIn: (json, context) => {
      const envelope = rules.envelopeIn(json, context);
      const lost = envelope !== undefined && context.path === path && where(envelope.code, json);
      return lost ? undefined : envelope;
    },
  });
}

export const proxyRouteFaults = declareFaults<RouterRules>([
  {
    name: 'messages-stream-error-passed-through',
    summary:
      'Passes a foreign error on as it is on the messages route where a stream was asked for.',
    breaks: [`${ID}.messages-error-wrapped`, 'router.envelope.object'],
    patch: answering(
      every(withCode('backend_error'), onPath('/v1/messages'), asksForStream),
      (reply) => withBody(reply, { type: 'error', detail: 'as the engine said' }, 400),
    ),
  },
  {
    name: 'embeddings-201-becomes-200',
    summary: 'Answers 200 where the engine said 201 on the embeddings route.',
    breaks: [`${ID}.other-success-status`],
    patch: answering(
      every((reply) => reply.status === 201, onPath('/v1/embeddings')),
      (reply) => ({ ...reply, status: 200 }),
    ),
  },
  {
    name: 'messages-202-becomes-200',
    summary: 'Answers 200 where the engine said 202 on the messages route.',
    breaks: [`${ID}.other-success-status`],
    patch: answering(
      every((reply) => reply.status === 202, onPath('/v1/messages')),
      (reply) => ({ ...reply, status: 200 }),
    ),
  },
  {
    name: 'messages-stream-ends-with-an-error-event',
    summary: 'Adds an error event to a messages stream whose engine was lost.',
    breaks: [`${ID}.stream-untouched`],
    patch: endingMessages('event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n'),
  },
  {
    name: 'messages-stream-ends-with-a-forged-stop',
    summary: 'Adds the last event of a message to a messages stream whose engine was lost.',
    breaks: [`${ID}.stream-untouched`],
    patch: endingMessages('\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'),
  },
  {
    name: 'lost-engine-is-an-empty-messages-stream',
    summary:
      'Answers a messages request with an empty stream when the engine was lost before it began.',
    breaks: ['router.streaming.drop-before-start'],
    patch: answering(
      every(withCode('backend_unavailable'), onPath('/v1/messages'), asksForStream),
      (reply) => withHeader(withBody(reply, '', 200), 'Content-Type', 'text/event-stream'),
    ),
  },
  {
    name: 'embeddings-envelope-kept-where-it-stops',
    summary: 'Knows an envelope by the codes that stop a session alone, on the embeddings route.',
    breaks: [`${ID}.embeddings-envelope-kept`],
    patch: wrappingAgain('/v1/embeddings', (code) => code === 'backend_unavailable'),
  },
  {
    name: 'rerank-large-envelope-wrapped-again',
    summary: 'Knows an envelope by its first 512 bytes alone, on the rerank route.',
    breaks: [`${ID}.rerank-envelope-kept`],
    patch: wrappingAgain('/v1/rerank', (_code, json) => JSON.stringify(json).length > 512),
  },
  {
    name: 'messages-drop-not-tried-elsewhere',
    summary: 'Ends a session on the messages route when the connection to an engine is lost.',
    breaks: ['router.retry-behaviour.retry-on-proxy'],
    patch: (rules) => ({
      ...rules,
      stops: (code, context) =>
        rules.stops(code, context) ||
        (code === 'backend_unavailable' &&
          onMessages(context) &&
          context.model === 'scripted-pair'),
    }),
  },
]);
