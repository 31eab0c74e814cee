/** Builds the responses of an engine: ordinary ones, errors and streams. */

import { randomUUID } from 'node:crypto';
import type {
  Behaviour,
  Complete,
  Events,
  LineEnding,
  Respond,
  StreamEvent,
} from '../behaviour.ts';
import {
  embeddingAnswer,
  messageAnswer,
  messageStream,
  outputOf,
  rerankAnswer,
  chatAnswer,
  chatStream,
  tokenCount,
} from './answers.ts';
import { type EngineRequest, wantsStream } from './request.ts';

const endings: Readonly<Record<LineEnding, string>> = { lf: '\n', crlf: '\r\n', cr: '\r' };

/**
 * The body of a stream, and for each event the offset of the byte after it. Each event ends with an empty line, except for
 * raw events, which are sent unchanged.
 */
export function encodeEvents(events: readonly StreamEvent[], lineEnding: LineEnding = 'lf') {
  const encoded = events.map((event) => encodeEvent(event, endings[lineEnding]));
  let end = 0;
  return { body: Buffer.concat(encoded), eventEnds: encoded.map((bytes) => (end += bytes.length)) };
}

function encodeEvent(event: StreamEvent, newline: string): Buffer {
  if ('base64' in event) return Buffer.from(event.base64, 'base64');
  if ('raw' in event) return Buffer.from(event.raw);
  const lines = 'comment' in event ? field('', event.comment) : fieldsOf(event);
  return Buffer.from(lines.map((line) => line + newline).join('') + newline);
}

function fieldsOf(
  event: Exclude<StreamEvent, { comment: string } | { raw: string } | { base64: string }>,
) {
  const data = 'json' in event ? JSON.stringify(event.json) : event.data;
  return [
    ...(event.event === undefined ? [] : field('event', event.event)),
    ...(event.id === undefined ? [] : field('id', event.id)),
    ...field('data', data),
  ];
}

/** The lines of a field: a value with several lines repeats the field name. */
function field(name: string, value: string): readonly string[] {
  return value.split(/\r\n|\r|\n/).map((line) => `${name}: ${line}`);
}

export interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** For each event of a stream, the offset of the byte after it; null without a stream. */
  readonly eventEnds: readonly number[] | null;
}

const json = 'application/json';

/** The content of a response; `planDelivery` decides where it waits or ends. */
export function replyTo(behaviour: Behaviour, request: EngineRequest): Reply {
  switch (behaviour.kind) {
    case 'complete':
      return completion(behaviour, request);
    case 'respond':
      return response(behaviour);
    case 'events':
      return eventStream(behaviour);
    case 'drop':
      break;
  }
  return completion({ kind: 'complete' }, request);
}

function completion(behaviour: Complete, request: EngineRequest): Reply {
  const output = outputOf(behaviour, request);
  const id = randomUUID().slice(-12);
  const streams = behaviour.stream ?? wantsStream(request);
  const { lineEnding } = behaviour;
  switch (request.route) {
    case 'chat':
      return streams
        ? stream(chatStream(output, id, behaviour, request), lineEnding)
        : jsonReply(200, chatAnswer(output, id));
    case 'messages':
      return streams
        ? stream(messageStream(output, id, behaviour), lineEnding)
        : jsonReply(200, messageAnswer(output, id));
    case 'countTokens':
      return jsonReply(200, tokenCount(output));
    case 'embeddings':
      return jsonReply(200, embeddingAnswer(output, request));
    case 'rerank':
      return jsonReply(200, rerankAnswer(output, request, id));
    case 'health':
    case 'models':
    case 'metrics':
    case 'tokenize':
    case 'other':
      break;
  }
  return engineError(404, 'not_found_error', 'This engine has no such route.');
}

function response(behaviour: Respond): Reply {
  const implied = behaviour.base64 === undefined ? json : 'application/octet-stream';
  const body =
    behaviour.json === undefined
      ? Buffer.from(
          behaviour.text ?? behaviour.base64 ?? '',
          behaviour.base64 === undefined ? 'utf8' : 'base64',
        )
      : Buffer.from(JSON.stringify(behaviour.json));
  const labelled = body.length > 0 ? implied : undefined;
  return {
    status: behaviour.status ?? 200,
    headers: withContentType(behaviour.headers ?? [], labelled),
    body,
    eventEnds: null,
  };
}

function eventStream(behaviour: Events): Reply {
  const end = behaviour.done === true ? [{ data: '[DONE]' }] : [];
  return stream(
    [...behaviour.events, ...end],
    behaviour.lineEnding,
    behaviour.status,
    behaviour.headers,
  );
}

function stream(
  events: readonly StreamEvent[],
  lineEnding: LineEnding | undefined,
  status = 200,
  headers: Reply['headers'] = [],
): Reply {
  return {
    status,
    headers: withContentType(headers, 'text/event-stream'),
    ...encodeEvents(events, lineEnding),
  };
}

/** An error in the form of OpenAI-style engines. */
export function engineError(status: number, type: string, message: string): Reply {
  return jsonReply(status, { error: { message, type, param: null, code: status } });
}

export function jsonReply(status: number, value: unknown): Reply {
  return {
    status,
    headers: [['content-type', json]],
    body: Buffer.from(JSON.stringify(value)),
    eventEnds: null,
  };
}

function withContentType(headers: Reply['headers'], type: string | undefined): Reply['headers'] {
  if (type === undefined || has(headers, 'content-type')) return headers;
  return [['content-type', type], ...headers];
}

/** True if the headers include this name, in any case. */
export function has(headers: Reply['headers'], name: string): boolean {
  return headers.some(([candidate]) => candidate.toLowerCase() === name);
}
