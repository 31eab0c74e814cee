/** Streaming: the form of a stream, errors before it starts, and failures after that. */

import { clause, cited, excluded, stated, implied, open, section } from '../requirement.ts';

export const EVENT_STREAM = 'text/event-stream';

const needs = ['backend', 'models.chat'] as const;

export const streaming = section('router', 'streaming', [
  clause('endpoints/streams', 'Endpoints: third point, server-sent events', {
    'content-type': stated.universal(
      'A chat completion that was asked to stream and succeeds is an event stream by its label.',
    ),
    'messages-content-type': stated(
      'A stream on the messages route that its engine sent as an event stream is one by its label.',
      needs,
    ),
    'events-parse': stated.universal(
      'What arrives of a chat completion stream reads as server-sent events.',
    ),
    'whole-stream-delivered': stated(
      'A chat stream that the engine completes reaches the client with its end.',
      { judged: 'status 200, at least one event, and an orderly end', needs },
    ),
    'last-event-delivered': implied(
      'A chat stream that the engine completes ends with the last event of the engine.',
      { judged: 'implied: the document names no end marker', needs },
    ),
    incremental: implied(
      'An event reaches the client while the engine still holds the stream open.',
      needs,
    ),
  }),
  excluded.heading('streaming', 'Errors, Streaming'),
  clause('streaming/before-start', 'Errors, Streaming: before the stream', {
    'refusal-is-json': stated(
      'A refusal by the router of a request for a stream is JSON with its own status.',
      { judged: 'unknown model, missing model and missing credentials, with stream asked for' },
    ),
    'backend-error-is-json': stated(
      'An error of the engine before its stream is JSON with the status of its code.',
      needs,
    ),
    'drop-before-start': stated(
      'An engine lost before the first byte of its stream is a JSON error.',
      {
        judged:
          'backend_unavailable, backend_error, no_agents_available or no_capacity, or agent_disconnected, since an agent may be lost with its engine',
        needs,
      },
    ),
    'no-envelope-in-stream': stated.universal(
      'No error envelope of the router appears inside a stream that has begun.',
    ),
  }),
  clause('streaming/status', 'Errors, Streaming: status of a begun stream', {
    'failure-keeps-status': stated('A stream that fails after it began has status 200.', {
      judged: 'once its head was seen, after which only another success could show',
      needs,
    }),
  }),
  clause('streaming/failure', 'Errors, Streaming: how a later failure shows', {
    'failure-keeps-delivered': implied(
      'What the engine sent before it was lost reaches the client.',
      needs,
    ),
    'failure-between-events': stated('An engine lost between two events shows as an early end.', {
      judged: 'the stream ends by itself and has no end marker and no error of its own making',
      needs,
    }),
    'failure-inside-event': stated(
      'An engine lost inside an event shows as an early end or an incomplete event.',
      {
        judged: 'the stream ends by itself and has no end marker and no error of its own making',
        needs,
      },
    ),
    'no-forged-end': stated(
      'The router adds no end marker to a stream that its engine did not end.',
      needs,
    ),
    'no-retry-after-start': implied(
      'A stream that failed after it began is not tried at another agent.',
      { judged: 'exactly one hit', needs: ['backend', 'models.pair'] },
    ),
    'failure-kind': open(
      'Whether a failed stream ends in an orderly way, early, or by reset.',
      needs,
    ),
  }),
  excluded.advice('streaming/clients', 'Errors, Streaming: last sentence'),
  cited('overview/outcome', {
    'events-equal': implied('A chat stream has the output of the engine, in its order.', {
      judged: 'the text of each choice and why it ended, in whatever events they come',
      needs,
    }),
    'events-equal-any-chunks': implied(
      'The output is the same wherever the engine cut its bytes into pieces.',
      { judged: 'cuts inside a character, inside a line ending, and between events', needs },
    ),
  }),
  cited('retry-behaviour/3', {
    'retried-before-start': stated(
      'A stream whose first engine fails before it starts is begun by another agent.',
      ['backend', 'models.pair'],
    ),
  }),
]);
