/** What of an engine's stream reached the client (router#streaming). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { isBeginningOf, outputOf } from './chat-output.ts';
import { endMarkers, eventsOf, readEventStream, type StreamEvent } from './event-stream.ts';

function sent(bytes: Uint8Array) {
  return readEventStream(Buffer.from(bytes).toString('utf8'));
}

/** Whether the client got the output that the engine sent, all of it, in order. */
export function sameOutput(exchange: Exchange, engineBytes: Uint8Array): Judgement {
  const delivered = eventsOf(exchange);
  const expected = sent(engineBytes).events;
  if (delivered === undefined || expected.length === 0) return notObserved;
  const [output, whole] = [outputOf(delivered.events), outputOf(expected)];
  return expectThat(
    isBeginningOf(output, whole) && isBeginningOf(whole, output),
    'The output in a stream is not that of the engine.',
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

/**
 * Whether what the client saw of a stream that failed is what the engine sent before it was lost: its output up to
 * some point, and at least that of `least` events.
 */
export function beginningOfOutput(
  exchange: Exchange,
  engineBytes: Uint8Array,
  least: number,
): Judgement {
  const delivered = eventsOf(exchange);
  const expected = sent(engineBytes).events;
  if (delivered === undefined || expected.length === 0) return notObserved;
  const output = outputOf(delivered.events);
  const reached = isBeginningOf(outputOf(expected.slice(0, least)), output);
  return expectThat(
    reached && isBeginningOf(output, outputOf(expected)),
    'What was delivered of a failed stream is not what the engine had sent.',
    { expected: expected.slice(0, Math.max(least, 1)), actual: delivered.events },
    exchange,
  );
}

/** Whether the stream has no end marker more than the engine sent. */
export function noForgedEnd(exchange: Exchange, engineBytes: Uint8Array): Judgement {
  const delivered = eventsOf(exchange);
  if (delivered === undefined) return notObserved;
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
  if (exchange.response === undefined || exchange.ending === 'aborted') return notObserved;
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
