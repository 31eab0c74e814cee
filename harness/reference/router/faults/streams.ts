/** Streams that are something else, begin too early, or end with what their engine never said. */

import { declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import type { RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, every, onPath, withBody, withCode } from './answering.ts';
import type { When } from './answering.ts';

const ID = 'router.streaming';
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

export const streamFaults = declareFaults<RouterRules>([
  {
    name: 'streams-labelled-as-json',
    summary: 'Labels a stream as JSON.',
    breaks: [`${ID}.content-type`],
    patch: answering(begun, (reply) => withHeader(reply, 'Content-Type', 'application/json')),
  },
  {
    name: 'messages-streams-labelled-as-text',
    summary: 'Labels a stream of the messages route as plain text.',
    breaks: [`${ID}.messages-content-type`],
    patch: answering(
      every(
        onPath('/v1/messages'),
        asksForStream,
        (reply) => reply.status === 200 && reply.body.length === 0,
      ),
      (reply) => withHeader(reply, 'Content-Type', 'text/plain'),
    ),
  },
  {
    name: 'streams-labelled-as-text',
    summary: 'Labels a stream as plain text.',
    breaks: [`${ID}.content-type`],
    patch: answering(begun, (reply) => withHeader(reply, 'Content-Type', 'text/plain')),
  },
  {
    name: 'streams-begin-with-a-stray-line',
    summary: 'Writes a line before a stream that is no server-sent event.',
    breaks: [`${ID}.events-parse`],
    patch: rewriting((piece, index) =>
      index === 0 ? Buffer.concat([Buffer.from('STREAM BEGINS\n\n'), piece]) : piece,
    ),
  },
  {
    name: 'stream-loses-its-end',
    summary: 'Leaves out the end marker of a stream.',
    breaks: [`${ID}.last-event-delivered`, `${ID}.events-equal`, `${ID}.events-equal-any-chunks`],
    patch: rewriting((piece) => Buffer.from(piece.toString('latin1').replace(DONE, ''), 'latin1')),
  },
  {
    name: 'stream-loses-characters-of-four-bytes',
    summary: 'Writes a question mark for a character of four bytes.',
    breaks: [`${ID}.events-equal`],
    patch: rewriting((piece) =>
      Buffer.from(piece.toString('latin1').replaceAll('\xf0\x9f\x9a\x80', '?'), 'latin1'),
    ),
  },
  {
    name: 'stream-pieces-read-as-text',
    summary: 'Reads each piece of a stream as text, which breaks characters that are cut.',
    breaks: [`${ID}.events-equal-any-chunks`],
    patch: rewriting((piece) => Buffer.from(piece.toString('utf8'))),
  },
  {
    name: 'stream-ends-after-300-events',
    summary: 'Passes little more than 300 events of a stream on.',
    breaks: [`${ID}.last-event-delivered`, `${ID}.events-equal`],
    patch: (rules) => {
      const passed = new WeakMap<RequestContext, number>();
      return rewriting((piece, _index, context) => {
        const before = passed.get(context) ?? 0;
        passed.set(context, before + piece.toString('latin1').split('data: {').length - 1);
        return before < 300 ? piece : Buffer.alloc(0);
      })(rules);
    },
  },
  {
    name: 'stream-trims-its-pieces',
    summary: 'Drops a line end at the beginning of a piece.',
    breaks: [`${ID}.events-equal-any-chunks`],
    patch: rewriting((piece, index) =>
      index > 0 && piece[0] === 0x0a ? piece.subarray(1) : piece,
    ),
  },
  {
    name: 'stream-is-held-back',
    summary: 'Writes each piece of a stream when the next one has come.',
    breaks: [`${ID}.incremental`],
    patch: (rules) => {
      const held = new WeakMap<RequestContext, Buffer>();
      const last = (context: RequestContext): Buffer => held.get(context) ?? Buffer.alloc(0);
      return {
        ...rules,
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
  {
    name: 'refusal-as-a-stream',
    summary: 'Says model_not_found in an event when a stream was asked for.',
    breaks: [`${ID}.refusal-is-json`, `${ID}.no-envelope-in-stream`],
    patch: answering(every(withCode('model_not_found'), onChat, asksForStream), (reply) =>
      withHeader(
        withBody(reply, `data: ${Buffer.from(reply.body).toString('utf8')}\n\n`, 200),
        'Content-Type',
        'text/event-stream',
      ),
    ),
  },
  {
    name: 'engine-error-as-a-stream',
    summary: 'Says invalid_parameter in an event with status 200 when a stream was asked for.',
    breaks: [`${ID}.backend-error-is-json`],
    patch: answering(every(withCode('invalid_parameter'), onChat, asksForStream), (reply) =>
      withHeader(
        withBody(reply, 'data: {"problem":"invalid_parameter"}\n\n', 200),
        'Content-Type',
        'text/event-stream',
      ),
    ),
  },
  {
    name: 'lost-engine-is-an-empty-stream',
    summary: 'Answers with an empty stream when the engine was lost before it began.',
    breaks: [`${ID}.drop-before-start`],
    patch: answering(every(withCode('backend_unavailable'), onChat, asksForStream), (reply) =>
      withHeader(withBody(reply, '', 200), 'Content-Type', 'text/event-stream'),
    ),
  },
  {
    name: 'failed-stream-is-206',
    summary: 'Answers streams without a bound on output with 206.',
    breaks: [`${ID}.failure-keeps-status`],
    patch: answering(
      every(begun, (_reply, context) => context.model === 'scripted-chat'),
      (reply) => ({ ...reply, status: 206 }),
    ),
  },
  {
    name: 'failed-stream-loses-what-came',
    summary: 'Replaces the first event of a stream by a comment.',
    breaks: [`${ID}.failure-keeps-delivered`],
    patch: rewriting((piece, index) => (index === 0 ? Buffer.from(': begun\n\n') : piece)),
  },
  {
    name: 'envelope-in-stream',
    summary: 'Ends a stream whose engine was lost with an error envelope.',
    breaks: [`${ID}.no-envelope-in-stream`, `${ID}.failure-keeps-delivered`],
    patch: ending(() => `data: ${envelope}\n\n`),
  },
  {
    name: 'envelope-after-stream',
    summary: 'Writes an error envelope as it is after a stream whose engine was lost.',
    breaks: [`${ID}.no-envelope-in-stream`, `${ID}.events-parse`],
    patch: ending(() => `\n\n${envelope}`),
  },
  {
    name: 'forged-end',
    summary: 'Adds the end marker to a stream whose engine was lost.',
    breaks: [
      `${ID}.no-forged-end`,
      `${ID}.failure-between-events`,
      `${ID}.failure-inside-event`,
      `${ID}.failure-keeps-delivered`,
    ],
    patch: ending(() => `\n\n${DONE}`),
  },
  {
    name: 'forged-end-between-events',
    summary: 'Adds the end marker to a stream that broke off at the end of an event.',
    breaks: [
      `${ID}.failure-between-events`,
      `${ID}.no-forged-end`,
      `${ID}.failure-keeps-delivered`,
    ],
    patch: (rules) => endingBy(rules, (last) => (last.endsWith('\n\n') ? DONE : undefined)),
  },
  {
    name: 'forged-finish',
    summary: 'Says that the choice ended as it should where a stream broke off between two events.',
    breaks: [`${ID}.failure-keeps-delivered`],
    patch: (rules) => endingBy(rules, (last) => (last.endsWith('\n\n') ? FINISH : undefined)),
  },
  {
    name: 'forged-end-inside-event',
    summary: 'Completes an event that broke off, and adds the end marker.',
    breaks: [`${ID}.failure-inside-event`, `${ID}.no-forged-end`, `${ID}.failure-keeps-delivered`],
    patch: (rules) =>
      endingBy(rules, (last) => (last.endsWith('\n\n') ? undefined : `\n\n${DONE}`)),
  },
  {
    name: 'stream-begun-anew',
    summary: 'Tries another agent for a stream that had begun, and goes on with that.',
    breaks: [`${ID}.no-retry-after-start`],
    patch: (rules) => ({
      ...rules,
      resumesStream: (context) => isChat(context) && context.model === 'scripted-pair',
    }),
  },
]);

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
