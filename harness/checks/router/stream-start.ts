/** What an error looks like that comes before a stream, and whether a stream came whole. */

import type { Exchange } from '../../exchange/exchange.ts';
import { mediaType } from '../../exchange/headers.ts';
import { expectThat, notObserved, violated, type Judgement } from '../judgement.ts';
import { envelopeOf } from './envelope.ts';
import { eventsOf, readEventStream } from './event-stream.ts';
import { outcomeText } from './final-codes.ts';

/** Held for an error in the envelope, as JSON, with a status of its own (router#streaming/before-start). */
export function jsonError(exchange: Exchange): Judgement {
  if (exchange.response === undefined || exchange.ending !== 'complete') return notObserved;
  const { status, headers } = exchange.response;
  const type = mediaType(headers) ?? 'no Content-Type';
  const isJson = type === 'application/json' || type.endsWith('+json');
  return expectThat(
    status >= 400 && isJson && envelopeOf(exchange) !== undefined,
    'An error before the start of a stream is not JSON with a status of its own.',
    {
      expected: 'a status of 400 and above with the error envelope as JSON',
      actual: `${outcomeText(exchange)}, ${type}`,
    },
    exchange,
  );
}

/** Whether a stream that the engine ended came to its end: status 200, and its last event (router#endpoints/streams). */
export function deliveredWhole(exchange: Exchange, engineBytes: Uint8Array): Judgement {
  const { response } = exchange;
  const last = readEventStream(Buffer.from(engineBytes).toString('utf8')).events.at(-1);
  if (response === undefined || last === undefined) return notObserved;
  // What we stopped reading may have gone on.
  if (exchange.ending === 'aborted' || exchange.ending === 'too-large') return notObserved;
  if (response.status !== 200) {
    return violated(
      'A stream that the engine completed did not reach the client.',
      { expected: 'status 200 and a stream', actual: outcomeText(exchange) },
      exchange,
    );
  }
  const arrived = eventsOf(exchange)?.events.at(-1);
  return expectThat(
    exchange.ending === 'complete' && arrived?.data === last.data,
    'A stream that the engine completed did not come to its end.',
    { expected: last, actual: arrived ?? `no event, ${exchange.ending}` },
    exchange,
  );
}

/** Whether an event reached the client while the engine still held the stream open. */
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
