/** What of an engine's stream reached the client (router#streaming). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, vacuous, type Judgement } from '../judgement.ts';
import { endMarkers, eventsOf, readEventStream, type StreamEvent } from './event-stream.ts';

function textOf(event: StreamEvent): string {
  return `${event.event ?? 'message'}\u0000${event.data}`;
}

function sent(bytes: Uint8Array) {
  return readEventStream(Buffer.from(bytes).toString('utf8'));
}

/** Whether the client saw the events that the engine sent, all of them, in order. */
export function sameEvents(exchange: Exchange, engineBytes: Uint8Array): Judgement {
  const delivered = eventsOf(exchange);
  const expected = sent(engineBytes).events;
  if (delivered === undefined || expected.length === 0) return vacuous;
  return expectThat(
    delivered.events.map(textOf).join('\u0001') === expected.map(textOf).join('\u0001'),
    'The events of a stream are not those of the engine.',
    { expected, actual: delivered.events },
    exchange,
  );
}

/**
 * Whether the client got everything that the engine wrote, by a word of which its text consists. How the router writes the
 * events of its native route is its own affair.
 */
export function wholeText(exchange: Exchange, engineBytes: Uint8Array, word: string): Judgement {
  const delivered = eventsOf(exchange);
  const expected = timesIn(sent(engineBytes), word);
  if (delivered === undefined || expected === 0) return vacuous;
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

/**
 * Whether what the client saw of a stream that failed is what the engine sent before it was lost: its events up to
 * some point, and at least `least` of them.
 */
export function beginningOfEvents(
  exchange: Exchange,
  engineBytes: Uint8Array,
  least: number,
): Judgement {
  const delivered = eventsOf(exchange);
  const expected = sent(engineBytes).events;
  if (delivered === undefined || expected.length === 0) return vacuous;
  const matches = delivered.events.every((event, at) => {
    const original = expected[at];
    return original !== undefined && textOf(original) === textOf(event);
  });
  return expectThat(
    matches && delivered.events.length >= least,
    'What was delivered of a failed stream is not what the engine had sent.',
    { expected: expected.slice(0, Math.max(least, 1)), actual: delivered.events },
    exchange,
  );
}

/** Whether the stream has no end marker more than the engine sent. */
export function noForgedEnd(exchange: Exchange, engineBytes: Uint8Array): Judgement {
  const delivered = eventsOf(exchange);
  if (delivered === undefined) return vacuous;
  const own = endMarkers(sent(engineBytes));
  return expectThat(
    endMarkers(delivered) <= own,
    'The stream has an end marker that its engine did not send.',
    { expected: `${own} end markers`, actual: delivered.events },
    exchange,
  );
}

/** Whether a stream that failed after it began shows status 200 and ended by itself. */
export function earlyEnd(exchange: Exchange): Judgement {
  if (exchange.response === undefined || exchange.ending === 'aborted') return vacuous;
  const ended = ['complete', 'cut-short', 'reset', 'malformed'].includes(exchange.ending);
  return expectThat(
    exchange.response.status === 200 && ended,
    'A stream whose engine was lost did not end early with status 200.',
    {
      expected: 'status 200 and an early end',
      actual: `status ${exchange.response.status}, ${exchange.ending}`,
    },
    exchange,
  );
}
