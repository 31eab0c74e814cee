/** Server-sent events of the chat route: how to read them, what the engine wrote in them, and their form. */

import { createParser } from 'eventsource-parser';
import { bodyText, isObject, jsonBody, jsonIn, membersOf } from '../../exchange/body.ts';
import { type Exchange, headerValue, mediaType } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import { isSuccess } from './outcome.ts';
import { errorEnvelope } from '../../../schemas/router/envelope.ts';
import { EVENT_STREAM } from '../../../schemas/router/streaming.ts';
import { judgedAs } from '../universal.ts';
import { asksForStream, routeOf, type RouterKnowledge, type RouterVerdicts } from './route.ts';

export interface StreamEvent {
  /** The event type, undefined when the stream names none. */
  readonly event: string | undefined;
  readonly data: string;
}

export interface EventStream {
  /** Whole events, as a client sees them. */
  readonly events: readonly StreamEvent[];
  /** The text after the last blank line: an unfinished event. */
  readonly rest: string;
  /** Lines that are neither comment nor field, such as bare JSON. */
  readonly strayLines: readonly string[];
}

/** Names that a field of the standard or of an extension could have. */
const FIELD = /^[A-Za-z][\w-]*$/u;

/** Reads text as an event stream (WHATWG HTML). Unlike the standard, it keeps an unfinished event, and lines without a field. */
export function readEventStream(bytes: string): EventStream {
  // The parser takes a byte order mark for a part of the first field, and drops that event. At each line it searches all
  // remaining text for a carriage return, which takes minutes when every line ends in one.
  const text = bytes.replace(/^\uFEFF/u, '').replaceAll(/\r\n?/gu, '\n');
  const events: StreamEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ event, data }),
  });
  parser.feed(text);
  const lines = text.split('\n');
  const strayLines = lines.filter((line) => {
    if (line === '' || line.startsWith(':')) return false;
    const colon = line.indexOf(':');
    return !FIELD.test(colon === -1 ? line : line.slice(0, colon));
  });
  const lastBlank = lines.findLastIndex((line, at) => line === '' && at < lines.length - 1);
  return { events, rest: lines.slice(lastBlank + 1).join('\n'), strayLines };
}

/** The events of a response; undefined without a response, or when its encoded body did not arrive whole. */
export function eventsOf(exchange: Exchange): EventStream | undefined {
  if (exchange.response === undefined) return undefined;
  const coding = headerValue(exchange.response.headers, 'content-encoding') ?? 'identity';
  if (coding !== 'identity' && exchange.ending !== 'complete') return undefined;
  return readEventStream(bodyText(exchange));
}

/** The end marker that chat engines send as the data of their last event. */
const END_MARKER = '[DONE]';

/** A line whose whole data is the end marker; inside a delta the same characters are ordinary text. */
const END_LINE = /^data:[ \t]*\[DONE\][ \t]*$/mu;

/** How many end markers a stream has, with one in an unfinished last event. */
export function endMarkers(stream: EventStream): number {
  const whole = stream.events.filter((event) => event.data.trim() === END_MARKER).length;
  return whole + (END_LINE.test(stream.rest) ? 1 : 0);
}

export interface ChatOutput {
  /** The text of each choice, by its index. */
  readonly texts: ReadonlyMap<unknown, string>;
  /** Everything else in order: why choices ended, and events that are not chunks. */
  readonly rest: readonly string[];
}

/** The output in the events of a chat stream. */
export function outputOf(events: readonly StreamEvent[]): ChatOutput {
  const texts = new Map<unknown, string>();
  const rest: string[] = [];
  for (const { event, data } of events) {
    const choices = choicesIn(data);
    if (choices === undefined) rest.push(`${event ?? 'message'}: ${data}`);
    for (const choice of choices ?? []) {
      const { index, delta, finish_reason: reason } = isObject(choice) ? choice : {};
      const content = isObject(delta) ? delta['content'] : undefined;
      if (typeof content === 'string') texts.set(index, (texts.get(index) ?? '') + content);
      if (typeof reason === 'string') rest.push(`${String(index)} ended: ${reason}`);
    }
  }
  return { texts, rest };
}

/** Whether the output `part` is a prefix of `whole`. */
export function isBeginningOf(part: ChatOutput, whole: ChatOutput): boolean {
  const textsBegin = [...part.texts].every(
    ([index, text]) => whole.texts.get(index)?.startsWith(text) ?? text === '',
  );
  return textsBegin && part.rest.every((said, at) => said === whole.rest[at]);
}

/** A completion has the choices that the engine sent. Errors are not judged. */
export function sameChoices(exchange: Exchange, sent: { readonly choices: unknown }): Judgement {
  if (!isSuccess(exchange) || exchange.ending !== 'complete') return notObserved;
  const body = jsonBody(exchange);
  const actual = membersOf(exchange)?.['choices'];
  return expectThat(
    body.ok && holds(actual, sent.choices),
    'A completion has other choices than the engine sent.',
    { expected: sent.choices, actual: actual ?? (body.ok ? body.value : body.problem) },
    exchange,
  );
}

/** Whether a value contains another: it may have further members, and lack members that are null. */
function holds(actual: unknown, expected: unknown): boolean {
  if (expected === null) return actual === null || actual === undefined;
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((one, at) => holds(actual[at], one))
    );
  }
  if (!isObject(expected)) return Object.is(actual, expected);
  return (
    isObject(actual) &&
    Object.entries(expected).every(([name, value]) => holds(actual[name], value))
  );
}

function choicesIn(data: string): readonly unknown[] | undefined {
  const value = jsonIn(data);
  const choices = isObject(value) ? value['choices'] : undefined;
  return Array.isArray(choices) ? choices : undefined;
}

/** True for an event whose data is JSON with an error, or that is called one and holds JSON. */
export function holdsError({ event, data }: StreamEvent): boolean {
  const value = jsonIn(data);
  if (!isObject(value)) return false;
  const { error } = value;
  return event === 'error' || isObject(error) || typeof error === 'string';
}

/** True for a chat completion that asked for a stream and got status 200. */
export function isChatStream(exchange: Exchange): boolean {
  return (
    routeOf(exchange) === 'chatCompletions' &&
    exchange.response?.status === 200 &&
    asksForStream(exchange)
  );
}

/** Judges every chat stream that began, by what arrived of it (router#endpoints/streams, router#streaming). */
export function* chatStream(exchange: Exchange, knowledge: RouterKnowledge): RouterVerdicts {
  if (!isChatStream(exchange)) return;
  const type = mediaType(exchange.response?.headers ?? []);
  yield judgedAs(
    'router.streaming.content-type',
    type === EVENT_STREAM,
    'A stream is not labelled as an event stream.',
    { expected: EVENT_STREAM, actual: type ?? 'no Content-Type' },
    exchange,
  );
  if (type !== EVENT_STREAM) return;
  const stream = eventsOf(exchange);
  if (stream === undefined || exchange.response?.body.length === 0) return;
  yield judgedAs(
    'router.streaming.events-parse',
    stream.strayLines.length === 0,
    'A stream holds lines that are no part of server-sent events.',
    { expected: 'comments and fields such as `data: …`', actual: stream.strayLines },
    exchange,
  );
  if (knowledge.mayBeForwarded?.(exchange) === true) return;
  const envelope = envelopeInside(exchange, stream);
  if (envelope !== undefined) {
    yield { requirement: 'router.streaming.no-envelope-in-stream', judgement: envelope };
  }
}

/**
 * No error envelope appears inside a stream that began. A pass counts only for a stream without its end marker, since a
 * stream that ended well had no error to report. Undefined when nothing was observed.
 */
function envelopeInside(exchange: Exchange, stream: EventStream): Judgement | undefined {
  const texts = [...stream.events.map((event) => event.data), ...stream.strayLines, stream.rest];
  const envelope = texts.map((text) => text.replace(/^data:/u, '')).find(isEnvelope);
  if (envelope !== undefined) {
    return violated(
      'An error envelope stands inside a stream that had begun.',
      { expected: 'an early end', actual: envelope },
      exchange,
    );
  }
  return endMarkers(stream) > 0 || leftByUs(exchange) ? undefined : pass();
}

/** True when the suite stopped reading, so that the stream may have ended well afterwards. */
export function leftByUs({ ending }: Exchange): boolean {
  return ending === 'aborted' || ending === 'too-large' || ending === 'unread';
}

function isEnvelope(text: string): boolean {
  return text.includes('"error"') && errorEnvelope.safeParse(jsonIn(text)).success;
}
