/** Reading a body as server-sent events, and what of it is none. */

import { createParser } from 'eventsource-parser';
import { bodyText } from '../../exchange/body.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';

export interface StreamEvent {
  /** The event type, undefined when the stream names none. */
  readonly event: string | undefined;
  readonly data: string;
}

export interface EventStream {
  /** Whole events, as a client sees them. */
  readonly events: readonly StreamEvent[];
  /** What follows the last blank line: an event that was not finished. */
  readonly rest: string;
  /** Lines that are neither comment nor field, such as bare JSON. */
  readonly strayLines: readonly string[];
}

/** The names of fields that a standard or an extension could have. */
const FIELD = /^[A-Za-z][\w-]*$/u;

/**
 * Reads text as an event stream (WHATWG HTML, server-sent events). The standard ignores unknown fields and drops
 * an unfinished event; both are kept apart here.
 */
export function readEventStream(bytes: string): EventStream {
  // The parser itself takes a byte order mark for a part of the first field, which drops the first event.
  const text = bytes.replace(/^\uFEFF/u, '');
  const events: StreamEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ event, data }),
  });
  // The parser waits for what may follow a carriage return; at the end nothing does.
  parser.feed(text.endsWith('\r') ? `${text}\n` : text);
  const lines = text.split(/\r\n|\n|\r/u);
  const strayLines = lines.filter((line) => {
    if (line === '' || line.startsWith(':')) return false;
    const colon = line.indexOf(':');
    return !FIELD.test(colon === -1 ? line : line.slice(0, colon));
  });
  const lastBlank = lines.findLastIndex((line, at) => line === '' && at < lines.length - 1);
  return { events, rest: lines.slice(lastBlank + 1).join('\n'), strayLines };
}

/** The events of a response; undefined when it has none or its coding was cut off. */
export function eventsOf(exchange: Exchange): EventStream | undefined {
  if (exchange.response === undefined) return undefined;
  const coding = headerValue(exchange.response.headers, 'content-encoding') ?? 'identity';
  if (coding !== 'identity' && exchange.ending !== 'complete') return undefined;
  return readEventStream(bodyText(exchange));
}

/** The end marker that chat engines send as the data of their last event. */
const END_MARKER = '[DONE]';

/** A line whose whole data is the end marker; the same words inside a delta are somebody's text. */
const END_LINE = /^data:[ \t]*\[DONE\][ \t]*$/mu;

/** How often the end marker stands in a stream, an unfinished last event counted. */
export function endMarkers(stream: EventStream): number {
  const whole = stream.events.filter((event) => event.data.trim() === END_MARKER).length;
  return whole + (END_LINE.test(stream.rest) ? 1 : 0);
}
