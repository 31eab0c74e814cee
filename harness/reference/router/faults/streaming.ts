/** Streams with other content, an early start, or an ending that the engine did not send. */

import { type Reply, withHeader } from '../../http.ts';
import type { RequestContext } from '../model.ts';

import {
  amend,
  answering,
  answers,
  before,
  chained,
  CHAT,
  cut,
  DONE,
  errorIn,
  every,
  faultTable,
  forces,
  headed,
  MESSAGES,
  nowAndThen,
  on,
  onChat,
  type Patch,
  refusal,
  rows,
  unfinished,
  type When,
  withBody,
  withError,
} from './words.ts';

/** True for the head of a stream. */
const begun = (path: string): When =>
  every(on({ status: 200, path, stream: true }), (reply) => reply.body.length === 0);

/** A stream of this text in place of a response. */
const streaming = (reply: Reply, text: string): Reply =>
  withHeader(withBody(reply, text, 200), 'Content-Type', 'text/event-stream');

/** Milliseconds into a stream after which only its deadline can end it. */
const LONG_AFTER_MS = 3_000;

function rewriting(
  change: (piece: Buffer, index: number, context: RequestContext) => Uint8Array,
): Patch {
  return (rules) => ({
    streamPiece: (piece, index, context) => {
      const plain = rules.streamPiece(piece, index, context);
      return onChat(context) ? change(Buffer.from(plain), index, context) : plain;
    },
  });
}

/** Appends text to chat streams that broke off. */
function ending(tail: (context: RequestContext) => string | undefined): Patch {
  return (rules) => ({
    streamTail: (complete, context) => {
      const text = complete || !onChat(context) ? undefined : tail(context);
      return text === undefined ? rules.streamTail(complete, context) : Buffer.from(text);
    },
  });
}

const envelope = JSON.stringify({
  error: { code: 'backend_unavailable', message: 'the engine was lost', source: 'backend' },
});

const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

const FINISH = `data: ${JSON.stringify(finish)}\n\n`;

/** Appends text to chat streams that broke off, depending on their last piece. */
function endingBy(tail: (last: string) => string | undefined): Patch {
  return (rules) => {
    const seen = new WeakMap<RequestContext, string>();
    return chained(
      before('streamPiece', (piece, _index, context) => {
        const text = `${seen.get(context) ?? ''}${Buffer.from(piece).toString('latin1')}`;
        seen.set(context, text.slice(-8));
      }),
      ending((context) => tail(seen.get(context) ?? '')),
    )(rules);
  };
}

export const streamingFaults = faultTable('router.streaming', {
  'backend-error-is-json: native-errors-wrapped': answering(
    on({ code: 'invalid_parameter', path: CHAT, stream: true }),
    (reply) => withError(refusal(reply, 'backend_error'), { source: errorIn(reply)['source'] }),
  ),
  'backend-error-is-json: engine-error-as-a-stream': answering(
    on({ code: 'invalid_parameter', path: CHAT, stream: true }),
    (reply) => streaming(reply, 'data: {"problem":"invalid_parameter"}\n\n'),
  ),
  ...answers((reply) => streaming(reply, ''), {
    'drop-before-start: lost-engine-is-an-empty-messages-stream': on({
      code: 'backend_unavailable',
      path: MESSAGES,
      stream: true,
    }),
    'drop-before-start: lost-engine-is-an-empty-stream': on({
      code: 'backend_unavailable',
      path: CHAT,
      stream: true,
    }),
  }),
  'retried-before-start + router.retry-behaviour.retry-after-unavailable + router.retry-behaviour.retry-after-backend-error + router.retry-behaviour.retry-after-drop: streams-not-tried-elsewhere':
    forces('stops', true, on({ model: 'scripted-pair', stream: true })),
  'last-event-delivered + events-equal: long-streams-cut': cut(onChat),
  ...rows(rewriting, {
    'last-event-delivered + events-equal + events-equal-any-chunks: stream-loses-its-end': (
      piece,
    ) => Buffer.from(piece.toString('latin1').replace(DONE, ''), 'latin1'),
    'events-parse: streams-begin-with-a-stray-line': (piece, index) =>
      index === 0 ? Buffer.concat([Buffer.from('STREAM BEGINS\n\n'), piece]) : piece,
    'events-equal: stream-loses-characters-of-four-bytes': (piece) =>
      Buffer.from(piece.toString('latin1').replaceAll('\xf0\x9f\x9a\x80', '?'), 'latin1'),
    'events-equal-any-chunks: stream-pieces-read-as-text': (piece) =>
      Buffer.from(piece.toString('utf8')),
    'events-equal-any-chunks: stream-trims-its-pieces': (piece, index) =>
      index > 0 && piece[0] === 0x0a ? piece.subarray(1) : piece,
    'events-equal: equal-pieces-passed-once': (piece) =>
      Buffer.from(piece.toString('latin1').replace(/(data: [^\n]+\n\n)\1/u, '$1'), 'latin1'),
    'events-equal: reasons-of-the-end-lost': (piece) =>
      Buffer.from(piece.toString('latin1').replace('"length"', 'null'), 'latin1'),
    'failure-keeps-delivered: failed-stream-loses-what-came': (piece, index) =>
      index === 0 ? Buffer.from(': begun\n\n') : piece,
  }),
  'last-event-delivered + events-equal: stream-ends-after-300-events': (rules) => {
    const passed = new WeakMap<RequestContext, number>();
    return rewriting((piece, _index, context) => {
      const events = passed.get(context) ?? 0;
      passed.set(context, events + piece.toString('latin1').split('data: {').length - 1);
      return events < 300 ? piece : Buffer.alloc(0);
    })(rules);
  },
  'last-event-delivered + events-equal: streams-end-at-a-line-of-64-kib': (rules) => {
    const open = new WeakMap<RequestContext, number>();
    const broken = new WeakSet<RequestContext>();
    return rewriting((piece, _index, context) => {
      const end = piece.indexOf(0x0a);
      const line = (open.get(context) ?? 0) + (end < 0 ? piece.length : end);
      open.set(context, end < 0 ? line : piece.length - piece.lastIndexOf(0x0a) - 1);
      if (line > 65_536) broken.add(context);
      return broken.has(context) ? Buffer.alloc(0) : piece;
    })(rules);
  },
  'whole-stream-delivered: fifth-stream-unfinished': nowAndThen(5, (isDue) =>
    unfinished((context) => onChat(context) && isDue()),
  ),
  ...headed('Content-Type', 'application/json', {
    'content-type: streams-labelled-as-json': begun(CHAT),
  }),
  ...headed('Content-Type', 'text/plain', {
    'content-type: streams-labelled-as-text': begun(CHAT),
    'messages-content-type: messages-streams-labelled-as-text': begun(MESSAGES),
  }),
  'incremental: stream-is-held-back': (rules) => {
    const held = new WeakMap<RequestContext, Uint8Array>();
    const last = (context: RequestContext): Uint8Array => held.get(context) ?? new Uint8Array();
    return chained(
      amend('streamPiece', (plain, _piece, _index, context) => {
        if (!onChat(context)) return plain;
        const piece = last(context);
        held.set(context, plain);
        return piece;
      }),
      forces('streamTail', (_complete, context) => last(context), onChat),
    )(rules);
  },
  'refusal-is-json + no-envelope-in-stream: refusal-as-a-stream': answering(
    on({ code: 'model_not_found', path: CHAT, stream: true }),
    (reply) => streaming(reply, `data: ${Buffer.from(reply.body).toString('utf8')}\n\n`),
  ),
  'failure-keeps-status: failed-stream-is-206': answering(
    every(begun(CHAT), on({ model: 'scripted-chat' })),
    (reply) => ({ ...reply, status: 206 }),
  ),
  'failure-keeps-delivered: forged-finish': endingBy((last) =>
    last.endsWith('\n\n') ? FINISH : undefined,
  ),
  'no-envelope-in-stream + failure-keeps-delivered: envelope-in-stream': ending(
    () => `data: ${envelope}\n\n`,
  ),
  'no-envelope-in-stream + events-parse: envelope-after-stream': ending(() => `\n\n${envelope}`),
  'failure-between-events + failure-inside-event + failure-keeps-delivered: error-by-name-in-stream':
    ending(() => '\n\nevent: error\ndata: {"code":"backend_error","message":"lost"}\n\n'),
  'failure-between-events + failure-inside-event + failure-keeps-delivered: engine-like-error-in-stream':
    ending(() => '\n\ndata: {"error":{"message":"the engine was lost","type":"server_error"}}\n\n'),
  'no-forged-end + failure-between-events + failure-inside-event + failure-keeps-delivered: forged-end':
    ending(() => `\n\n${DONE}`),
  'failure-between-events + no-forged-end + failure-keeps-delivered: forged-end-between-events':
    endingBy((last) => (last.endsWith('\n\n') ? DONE : undefined)),
  'failure-inside-event + no-forged-end + failure-keeps-delivered: forged-end-inside-event':
    endingBy((last) => (last.endsWith('\n\n') ? undefined : `\n\n${DONE}`)),
  'no-forged-end: forged-end-at-the-deadline': (rules) => {
    const begunAt = new WeakMap<RequestContext, number>();
    return chained(
      forces('deadlineAt', 'runs-on', (moment) => moment === 'stream'),
      before('deadlineAt', (moment, context) => {
        if (moment === 'stream') begunAt.set(context, performance.now());
      }),
      ending((context) =>
        performance.now() - (begunAt.get(context) ?? Infinity) > LONG_AFTER_MS
          ? `\n\n${DONE}`
          : undefined,
      ),
    )(rules);
  },
  'no-forged-end + failure-keeps-delivered: forged-end-of-a-provider': ending(({ agent }) =>
    agent === 'provider' ? `\n\n${DONE}` : undefined,
  ),
  'no-retry-after-start: stream-begun-anew': () => ({
    resumesStream: on({ path: CHAT, model: 'scripted-pair' }),
  }),
});
