/** Streams that are something else, begin too early, or end with what their engine never said. */

import { withHeader } from '../../http.ts';
import type { RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import {
  answering,
  every,
  faultTable,
  onPath,
  type When,
  withBody,
  withCode,
} from './answering.ts';

const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';
const onChat = onPath('/v1/chat/completions');
const asksForStream: When = (_reply, context) => context.stream;
const begun: When = every(
  onChat,
  asksForStream,
  (reply) => reply.status === 200 && reply.body.length === 0,
);

/** Changes the pieces of chat streams. */
function rewriting(change: (piece: Buffer, index: number, context: RequestContext) => Uint8Array) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    streamPiece: (piece, index, context) => {
      const plain = rules.streamPiece(piece, index, context);
      return isChat(context) ? change(Buffer.from(plain), index, context) : plain;
    },
  });
}

/** Adds something at the end of chat streams that broke off. */
function ending(tail: (context: RequestContext) => string | undefined) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    streamTail: (complete, context) => {
      const text = complete || !isChat(context) ? undefined : tail(context);
      return text === undefined ? rules.streamTail(complete, context) : Buffer.from(text);
    },
  });
}

const envelope = JSON.stringify({
  error: { code: 'backend_unavailable', message: 'the engine was lost', source: 'backend' },
});
const DONE = 'data: [DONE]\n\n';
const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const FINISH = `data: ${JSON.stringify(finish)}\n\n`;

export const streamFaults = faultTable({
  'router.streaming.content-type': {
    'streams-labelled-as-json': answering(begun, (reply) =>
      withHeader(reply, 'Content-Type', 'application/json'),
    ),
    'streams-labelled-as-text': answering(begun, (reply) =>
      withHeader(reply, 'Content-Type', 'text/plain'),
    ),
  },
  'router.streaming.messages-content-type': {
    'messages-streams-labelled-as-text': answering(
      every(
        onPath('/v1/messages'),
        asksForStream,
        (reply) => reply.status === 200 && reply.body.length === 0,
      ),
      (reply) => withHeader(reply, 'Content-Type', 'text/plain'),
    ),
  },
  'router.streaming.events-parse': {
    'streams-begin-with-a-stray-line': rewriting((piece, index) =>
      index === 0 ? Buffer.concat([Buffer.from('STREAM BEGINS\n\n'), piece]) : piece,
    ),
  },
  'router.streaming.last-event-delivered': {
    'stream-loses-its-end': {
      besides: ['router.streaming.events-equal', 'router.streaming.events-equal-any-chunks'],
      patch: rewriting((piece) =>
        Buffer.from(piece.toString('latin1').replace(DONE, ''), 'latin1'),
      ),
    },
    'stream-ends-after-300-events': {
      besides: ['router.streaming.events-equal'],
      patch: (rules) => {
        const passed = new WeakMap<RequestContext, number>();
        return rewriting((piece, _index, context) => {
          const before = passed.get(context) ?? 0;
          passed.set(context, before + piece.toString('latin1').split('data: {').length - 1);
          return before < 300 ? piece : Buffer.alloc(0);
        })(rules);
      },
    },
  },
  'router.streaming.events-equal': {
    'stream-loses-characters-of-four-bytes': rewriting((piece) =>
      Buffer.from(piece.toString('latin1').replaceAll('\xf0\x9f\x9a\x80', '?'), 'latin1'),
    ),
  },
  'router.streaming.events-equal-any-chunks': {
    'stream-pieces-read-as-text': rewriting((piece) => Buffer.from(piece.toString('utf8'))),
    'stream-trims-its-pieces': rewriting((piece, index) =>
      index > 0 && piece[0] === 0x0a ? piece.subarray(1) : piece,
    ),
  },
  'router.streaming.incremental': {
    'stream-is-held-back': {
      says: 'Writes each piece of a stream when the next one has come.',
      patch: (rules) => {
        const held = new WeakMap<RequestContext, Buffer>();
        const last = (context: RequestContext): Buffer => held.get(context) ?? Buffer.alloc(0);
        return {
          streamPiece: (piece, index, context) => {
            const plain = Buffer.from(rules.streamPiece(piece, index, context));
            if (!isChat(context)) return plain;
            const before = last(context);
            held.set(context, plain);
            return before;
          },
          streamTail: (complete, context) =>
            isChat(context) ? last(context) : rules.streamTail(complete, context),
        };
      },
    },
  },
  'router.streaming.refusal-is-json': {
    'refusal-as-a-stream': {
      says: 'Says model_not_found in an event when a stream was asked for.',
      besides: ['router.streaming.no-envelope-in-stream'],
      patch: answering(every(withCode('model_not_found'), onChat, asksForStream), (reply) =>
        withHeader(
          withBody(reply, `data: ${Buffer.from(reply.body).toString('utf8')}\n\n`, 200),
          'Content-Type',
          'text/event-stream',
        ),
      ),
    },
  },
  'router.streaming.backend-error-is-json': {
    'engine-error-as-a-stream': {
      says: 'Says invalid_parameter in an event with status 200 when a stream was asked for.',
      patch: answering(every(withCode('invalid_parameter'), onChat, asksForStream), (reply) =>
        withHeader(
          withBody(reply, 'data: {"problem":"invalid_parameter"}\n\n', 200),
          'Content-Type',
          'text/event-stream',
        ),
      ),
    },
  },
  'router.streaming.drop-before-start': {
    'lost-engine-is-an-empty-stream': answering(
      every(withCode('backend_unavailable'), onChat, asksForStream),
      (reply) => withHeader(withBody(reply, '', 200), 'Content-Type', 'text/event-stream'),
    ),
  },
  'router.streaming.failure-keeps-status': {
    'failed-stream-is-206': answering(
      every(begun, (_reply, context) => context.model === 'scripted-chat'),
      (reply) => ({ ...reply, status: 206 }),
    ),
  },
  'router.streaming.failure-keeps-delivered': {
    'failed-stream-loses-what-came': rewriting((piece, index) =>
      index === 0 ? Buffer.from(': begun\n\n') : piece,
    ),
    'forged-finish': {
      says: 'Says that the choice ended as it should where a stream broke off between two events.',
      patch: (rules) => endingBy(rules, (last) => (last.endsWith('\n\n') ? FINISH : undefined)),
    },
  },
  'router.streaming.no-envelope-in-stream': {
    'envelope-in-stream': {
      says: 'Ends a stream whose engine was lost with an error envelope.',
      besides: ['router.streaming.failure-keeps-delivered'],
      patch: ending(() => `data: ${envelope}\n\n`),
    },
    'envelope-after-stream': {
      says: 'Writes an error envelope as it is after a stream whose engine was lost.',
      besides: ['router.streaming.events-parse'],
      patch: ending(() => `\n\n${envelope}`),
    },
  },
  'router.streaming.no-forged-end': {
    'forged-end': {
      says: 'Adds the end marker to a stream whose engine was lost.',
      besides: [
        'router.streaming.failure-between-events',
        'router.streaming.failure-inside-event',
        'router.streaming.failure-keeps-delivered',
      ],
      patch: ending(() => `\n\n${DONE}`),
    },
  },
  'router.streaming.failure-between-events': {
    'forged-end-between-events': {
      besides: ['router.streaming.no-forged-end', 'router.streaming.failure-keeps-delivered'],
      patch: (rules) => endingBy(rules, (last) => (last.endsWith('\n\n') ? DONE : undefined)),
    },
  },
  'router.streaming.failure-inside-event': {
    'forged-end-inside-event': {
      besides: ['router.streaming.no-forged-end', 'router.streaming.failure-keeps-delivered'],
      patch: (rules) =>
        endingBy(rules, (last) => (last.endsWith('\n\n') ? undefined : `\n\n${DONE}`)),
    },
  },
  'router.streaming.no-retry-after-start': {
    'stream-begun-anew': {
      says: 'Tries another agent for a stream that had begun, and goes on with that.',
      patch: () => ({
        resumesStream: (context) => isChat(context) && context.model === 'scripted-pair',
      }),
    },
  },
});

/** Ends chat streams that broke off by what their last piece was. */
function endingBy(rules: RouterRules, tail: (last: string) => string | undefined): RouterRules {
  const seen = new WeakMap<RequestContext, string>();
  return ending((context) => tail(seen.get(context) ?? ''))({
    ...rules,
    streamPiece: (piece, index, context) => {
      seen.set(
        context,
        `${seen.get(context) ?? ''}${Buffer.from(piece).toString('latin1')}`.slice(-8),
      );
      return rules.streamPiece(piece, index, context);
    },
  });
}
