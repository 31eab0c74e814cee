/** Server-sent events as bytes. */

import type { LineEnding, StreamEvent } from './behaviour.ts';

const endings: Readonly<Record<LineEnding, string>> = { lf: '\n', crlf: '\r\n', cr: '\r' };

/** The body of a stream, and for each event the offset of the byte after it. */
export interface EncodedEvents {
  readonly body: Buffer;
  readonly eventEnds: readonly number[];
}

/** Encodes events one after the other; each ends with an empty line, but for raw ones, which are sent as they are. */
export function encodeEvents(
  events: readonly StreamEvent[],
  lineEnding: LineEnding = 'lf',
): EncodedEvents {
  const encoded = events.map((event) => encodeEvent(event, endings[lineEnding]));
  let end = 0;
  return {
    body: Buffer.concat(encoded),
    eventEnds: encoded.map((bytes) => (end += bytes.length)),
  };
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

/** A value of several lines is a field of several lines. */
function field(name: string, value: string): readonly string[] {
  return value.split(/\r\n|\r|\n/).map((line) => `${name}: ${line}`);
}
