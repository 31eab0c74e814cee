/** Streaming: the form of a stream, errors before it starts, and failures after that. */

import { chat } from './needs.ts';
import { clause, cited, excluded, stated, implied, section } from '../requirement.ts';

export const EVENT_STREAM = 'text/event-stream';

export const streaming = section('router', 'streaming', [
  clause('endpoints/streams', 'Endpoints: third point, server-sent events', {
    'content-type': stated.universal(
      'A chat completion that was asked to stream and succeeds is an event stream by its label.',
    ),
    'messages-content-type': chat.stated(
      'A stream on the messages route that its engine sent as an event stream is one by its label.',
    ),
    'events-parse': stated.universal(
      'What arrives of a chat completion stream reads as server-sent events.',
    ),
    'whole-stream-delivered': chat.stated(
      'A chat stream that the engine completes reaches the client with its end.',
      'status 200, at least one event, and an orderly end',
    ),
    'last-event-delivered': chat.implied(
      'A chat stream that the engine completes ends with the last event of the engine.',
      'implied: the document names no end marker',
    ),
    incremental: chat.implied(
      'An event reaches the client while the engine still holds the stream open.',
    ),
  }),
  excluded.heading('streaming', 'Errors, Streaming'),
  clause('streaming/before-start', 'Errors, Streaming: before the stream', {
    'refusal-is-json': stated(
      'A refusal by the router of a request for a stream is JSON with its own status.',
      { judged: 'unknown model, missing model and missing credentials, with stream asked for' },
    ),
    'backend-error-is-json': chat.stated(
      'An error of the engine before its stream is JSON with the status of its code.',
    ),
    'drop-before-start': chat.stated(
      'An engine lost before the first byte of its stream is a JSON error.',
      'backend_unavailable, backend_error, no_agents_available or no_capacity, or agent_disconnected, since an agent may be lost with its engine',
    ),
    'no-envelope-in-stream': stated.universal(
      'No error envelope of the router appears inside a stream that has begun.',
    ),
  }),
  clause('streaming/status', 'Errors, Streaming: status of a begun stream', {
    'failure-keeps-status': chat.stated(
      'A stream that fails after it began has status 200.',
      'once its head was seen, after which only another success could show',
    ),
  }),
  clause('streaming/failure', 'Errors, Streaming: how a later failure shows', {
    'failure-keeps-delivered': chat.implied(
      'What the engine sent before it was lost reaches the client.',
    ),
    'failure-between-events': chat.stated(
      'An engine lost between two events shows as an early end.',
      'the stream ends by itself and has no end marker and no error of its own making',
    ),
    'failure-inside-event': chat.stated(
      'An engine lost inside an event shows as an early end or an incomplete event.',
      'the stream ends by itself and has no end marker and no error of its own making',
    ),
    'no-forged-end': chat.stated(
      'The router adds no end marker to a stream that its engine did not end.',
    ),
    'no-retry-after-start': implied(
      'A stream that failed after it began is not tried at another agent.',
      { judged: 'exactly one hit', needs: ['backend', 'models.pair'] },
    ),
    'failure-kind': chat.open(
      'Whether a failed stream ends in an orderly way, early, or by reset.',
    ),
  }),
  excluded.advice('streaming/clients', 'Errors, Streaming: last sentence'),
  cited('overview/outcome', {
    'events-equal': chat.implied(
      'A chat stream has the output of the engine, in its order.',
      'the text of each choice and why it ended, in whatever events they come',
    ),
    'events-equal-any-chunks': chat.implied(
      'The output is the same wherever the engine cut its bytes into pieces.',
      'cuts inside a character, inside a line ending, and between events',
    ),
  }),
  cited('retry-behaviour/3', {
    'retried-before-start': stated(
      'A stream whose first engine fails before it starts is begun by another agent.',
      ['backend', 'models.pair'],
    ),
  }),
]);
