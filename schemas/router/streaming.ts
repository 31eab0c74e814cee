/** Streaming: what a stream is, what comes before it, and how it may fail. */

import { routerSection } from './section.ts';

export const EVENT_STREAM = 'text/event-stream';

const needs = ['backend', 'models.chat'] as const;

export const streamingRequirements = routerSection('streaming', {
  'content-type': {
    clause: 'router#endpoints/streams',
    strength: 'stated',
    statement:
      'A chat completion that was asked to stream and succeeds is an event stream by its label.',
    universal: true,
  },
  'messages-content-type': {
    clause: 'router#endpoints/streams',
    strength: 'stated',
    statement:
      'A stream on the messages route that its engine sent as an event stream is one by its label.',
    needs,
  },
  'events-parse': {
    clause: 'router#endpoints/streams',
    strength: 'stated',
    statement: 'What arrives of a chat completion stream reads as server-sent events.',
    universal: true,
  },
  'whole-stream-delivered': {
    clause: 'router#endpoints/streams',
    strength: 'stated',
    statement: 'A chat stream that the engine completes reaches the client with its end.',
    judged: 'status 200, at least one event, and an orderly end',
    needs,
  },
  'last-event-delivered': {
    clause: 'router#endpoints/streams',
    strength: 'implied',
    statement: 'A chat stream that the engine completes ends with the last event of the engine.',
    judged: 'implied: the document names no end marker',
    needs,
  },
  'events-equal': {
    clause: 'router#overview/outcome',
    strength: 'implied',
    statement: 'A chat stream has the output of the engine, in its order.',
    judged: 'the text of each choice and why it ended, in whatever events they come',
    needs,
  },
  'events-equal-any-chunks': {
    clause: 'router#overview/outcome',
    strength: 'implied',
    statement: 'The output is the same wherever the engine cut its bytes into pieces.',
    judged: 'cuts inside a character, inside a line ending, and between events',
    needs,
  },
  incremental: {
    clause: 'router#endpoints/streams',
    strength: 'implied',
    statement: 'An event reaches the client while the engine still holds the stream open.',
    needs,
  },
  'refusal-is-json': {
    clause: 'router#streaming/before-start',
    strength: 'stated',
    statement: 'A refusal by the router of a request for a stream is JSON with its own status.',
    judged: 'unknown model, missing model and missing credentials, with stream asked for',
  },
  'backend-error-is-json': {
    clause: 'router#streaming/before-start',
    strength: 'stated',
    statement: 'An error of the engine before its stream is JSON with the status of its code.',
    needs,
  },
  'drop-before-start': {
    clause: 'router#streaming/before-start',
    strength: 'stated',
    statement: 'An engine lost before the first byte of its stream is a JSON error.',
    judged: 'backend_unavailable, backend_error, no_agents_available or no_capacity',
    needs,
  },
  'retried-before-start': {
    clause: 'router#retry-behaviour/3',
    strength: 'stated',
    statement: 'A stream whose first engine fails before it starts is begun by another agent.',
    needs: ['backend', 'models.pair'],
  },
  'failure-keeps-status': {
    clause: 'router#streaming/status',
    strength: 'stated',
    statement: 'A stream that fails after it began has status 200.',
    judged: 'once its head was seen, after which only another success could show',
    needs,
  },
  'failure-keeps-delivered': {
    clause: 'router#streaming/failure',
    strength: 'implied',
    statement: 'What the engine sent before it was lost reaches the client.',
    needs,
  },
  'failure-between-events': {
    clause: 'router#streaming/failure',
    strength: 'stated',
    statement: 'An engine lost between two events shows as an early end.',
    judged: 'the stream ends by itself and has no end marker of its own making',
    needs,
  },
  'failure-inside-event': {
    clause: 'router#streaming/failure',
    strength: 'stated',
    statement: 'An engine lost inside an event shows as an early end or an incomplete event.',
    judged: 'the stream ends by itself and has no end marker of its own making',
    needs,
  },
  'no-envelope-in-stream': {
    clause: 'router#streaming/before-start',
    strength: 'stated',
    statement: 'No error envelope of the router appears inside a stream that has begun.',
    universal: true,
  },
  'no-forged-end': {
    clause: 'router#streaming/failure',
    strength: 'stated',
    statement: 'The router adds no end marker to a stream that its engine did not end.',
    needs,
  },
  'no-retry-after-start': {
    clause: 'router#streaming/failure',
    strength: 'implied',
    statement: 'A stream that failed after it began is not tried at another agent.',
    judged: 'exactly one hit',
    needs: ['backend', 'models.pair'],
  },
  'failure-kind': {
    clause: 'router#streaming/failure',
    strength: 'open',
    statement: 'Whether a failed stream ends in an orderly way, early, or by reset.',
    needs,
  },
});
