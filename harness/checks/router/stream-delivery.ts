/** What of an engine's stream reached the client, and how an error before a stream looks (router#streaming). */

import { type Exchange, mediaType } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, together } from '../judgement.ts';
import {
  endMarkers,
  eventsOf,
  type EventStream,
  holdsError,
  isBeginningOf,
  isChatStream,
  leftByUs,
  outputOf,
  readEventStream,
  type StreamEvent,
} from './event-stream.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import { envelopeOf } from './envelope.ts';
import { endedWith, outcomeText } from './outcome.ts';
import { asksForStream } from './route.ts';

function sent(bytes: Uint8Array) {
  return readEventStream(Buffer.from(bytes).toString('utf8'));
}

/** The events of a chat stream with status 200 that the suite read to its end; otherwise undefined. */
function eventsRead(exchange: Exchange): EventStream | undefined {
  return isChatStream(exchange) && !leftByUs(exchange) ? eventsOf(exchange) : undefined;
}

/** The client got the engine's output and nothing else: all of it, or that of at least `least` events. */
export function sameOutput(
  exchange: Exchange,
  engineBytes: Uint8Array,
  least = Infinity,
): Judgement {
  const delivered = eventsRead(exchange);
  const expected = sent(engineBytes).events;
  if (delivered === undefined || expected.length === 0) return notObserved;
  const output = outputOf(delivered.events);
  const reached = isBeginningOf(outputOf(expected.slice(0, least)), output);
  return expectThat(
    reached && isBeginningOf(output, outputOf(expected)),
    'What was delivered of a stream is not the output of its engine.',
    { expected: expected.slice(0, Math.max(least, 1)), actual: delivered.events },
    exchange,
  );
}

/** The client got all that the engine wrote, counted by a word that its text repeats. The events may differ. */
export function wholeText(exchange: Exchange, engineBytes: Uint8Array, word: string): Judgement {
  const delivered = eventsOf(exchange);
  const expected = timesIn(sent(engineBytes), word);
  if (delivered === undefined || expected === 0) return notObserved;
  const actual = timesIn(delivered, word);
  return expectThat(
    actual >= expected,
    'Output of the engine is missing in the stream.',
    { expected: `${expected} times "${word}"`, actual: `${actual} times` },
    exchange,
  );
}

function timesIn({ events }: { readonly events: readonly StreamEvent[] }, word: string): number {
  return events.reduce((sum, { data }) => sum + data.split(word).length - 1, 0);
}

/** The stream has no more end markers than the engine sent. */
export function noForgedEnd(exchange: Exchange, engineBytes: Uint8Array): Judgement {
  const delivered = eventsRead(exchange);
  if (delivered === undefined) return notObserved;
  const own = endMarkers(sent(engineBytes));
  return expectThat(
    endMarkers(delivered) <= own,
    'The stream has an end marker that its engine did not send.',
    { expected: `${own} end markers`, actual: delivered.events },
    exchange,
  );
}

/** A stream that failed after it began has status 200 and ended by itself. */
export function earlyEnd(exchange: Exchange): Judgement {
  if (exchange.response === undefined || exchange.ending === 'aborted') return notObserved;
  const { status } = exchange.response;
  return expectThat(
    status === 200 && ['complete', 'cut-short', 'reset', 'malformed'].includes(exchange.ending),
    'A stream whose engine was lost did not end early with status 200.',
    { expected: 'status 200 and an early end', actual: `status ${status}, ${exchange.ending}` },
    exchange,
  );
}

/** A stream that failed ended early, without an end marker or an error that the engine did not send. */
export function brokeOff(exchange: Exchange, engineBytes: Uint8Array): Judgement {
  const delivered = eventsRead(exchange);
  if (delivered === undefined) return notObserved;
  const error = delivered.events.find(holdsError);
  const tellsNothing = expectThat(
    error === undefined,
    'A stream that has begun holds an error as JSON that its engine did not send.',
    { expected: 'an early end', actual: error },
    exchange,
  );
  return together(earlyEnd(exchange), noForgedEnd(exchange, engineBytes), tellsNothing);
}

/** True for a stream that ended in order before any event; it does not show the outcome of the request. */
export function isEmptyStream(exchange: Exchange): boolean {
  const isWhole = isChatStream(exchange) && exchange.ending === 'complete';
  return isWhole && eventsOf(exchange)?.events.length === 0;
}

/** Passes on an error in the envelope with an error status, labelled as anything but a stream (router#streaming/before-start). */
export function jsonError(exchange: Exchange): Judgement {
  if (exchange.response === undefined || exchange.ending !== 'complete') return notObserved;
  const { status, headers } = exchange.response;
  const type = mediaType(headers) ?? 'no Content-Type';
  return expectThat(
    status >= 400 && type !== 'text/event-stream' && envelopeOf(exchange) !== undefined,
    'An error before the start of a stream is not JSON with a status of its own.',
    {
      expected: 'a status of 400 and above with the error envelope as JSON',
      actual: `${outcomeText(exchange)}, ${type}`,
    },
    exchange,
  );
}

/** Passes on an error in the envelope before a stream, with one of these codes; judged only for streaming requests. */
export function errorBeforeStream(exchange: Exchange, codes: readonly RouterCode[]): Judgement {
  if (!asksForStream(exchange)) return notObserved;
  return together(jsonError(exchange), endedWith(exchange, codes));
}

/** A stream that the engine completed ended in order with status 200 (router#endpoints/streams). */
export function deliveredWhole(exchange: Exchange): Judgement {
  if (exchange.response === undefined || leftByUs(exchange)) return notObserved;
  const arrived = eventsOf(exchange)?.events.length ?? 0;
  return expectThat(
    exchange.response.status === 200 && exchange.ending === 'complete' && arrived > 0,
    'A stream that the engine completed did not come to its end.',
    {
      expected: 'status 200, events and an orderly end',
      actual: `${outcomeText(exchange)}, ${arrived} events, ${exchange.ending}`,
    },
    exchange,
  );
}

/** The last event of a stream that ended in order is the engine's last event. */
export function endsLikeItsEngine(exchange: Exchange, engineBytes: Uint8Array): Judgement {
  const last = sent(engineBytes).events.at(-1);
  const arrived = eventsOf(exchange)?.events.at(-1);
  if (!isChatStream(exchange) || exchange.ending !== 'complete') return notObserved;
  return expectThat(
    arrived?.data === last?.data,
    'The last event of a stream is another than that of its engine.',
    { expected: last, actual: arrived ?? 'no event' },
    exchange,
  );
}

/** An event reached the client while the engine still held the stream open. */
export function cameWhileOpen(exchange: Exchange, came: boolean): Judgement {
  if (exchange.response?.status !== 200 || (!came && exchange.ending === 'aborted'))
    return notObserved;
  return expectThat(
    came,
    'Nothing of a stream reached the client while the engine held it open.',
    { expected: 'the events as they come', actual: 'nothing before the engine went on' },
    exchange,
  );
}
