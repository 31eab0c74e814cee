/** What an error looks like that comes before a stream, and whether a stream came whole. */

import type { RouterCode } from '../../../schemas/router/codes.ts';
import { type Exchange, mediaType } from '../../exchange/exchange.ts';
import { expectThat, notObserved, together, violated, type Judgement } from '../judgement.ts';
import { isChatStream } from './chat-stream.ts';
import { envelopeOf } from './envelope.ts';
import { eventsOf, readEventStream } from './event-stream.ts';
import { endedWith, outcomeText } from './final-codes.ts';
import { asksForStream } from './request-body.ts';

/**
 * True for a stream that ended in an orderly way before any event. Where the router began it before the engine had
 * answered, it tells nothing of what came of the request.
 */
export function isEmptyStream(exchange: Exchange): boolean {
  const isWhole = isChatStream(exchange) && exchange.ending === 'complete';
  return isWhole && eventsOf(exchange)?.events.length === 0;
}

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

/**
 * Held for an error before a stream in the envelope, with one of these codes. Without the wish for a stream, as a router is
 * asked that begins its streams by itself, nothing is seen.
 */
export function errorBeforeStream(exchange: Exchange, codes: readonly RouterCode[]): Judgement {
  if (!asksForStream(exchange)) return notObserved;
  return together(jsonError(exchange), endedWith(exchange, codes));
}

/** Whether a stream that the engine ended came to an orderly end with status 200 (router#endpoints/streams). */
export function deliveredWhole(exchange: Exchange): Judgement {
  const { response } = exchange;
  if (response === undefined) return notObserved;
  // What we stopped reading may have gone on.
  if (exchange.ending === 'aborted' || exchange.ending === 'too-large') return notObserved;
  if (response.status !== 200) {
    return violated(
      'A stream that the engine completed did not reach the client.',
      { expected: 'status 200 and a stream', actual: outcomeText(exchange) },
      exchange,
    );
  }
  const arrived = eventsOf(exchange)?.events.length ?? 0;
  return expectThat(
    exchange.ending === 'complete' && arrived > 0,
    'A stream that the engine completed did not come to its end.',
    { expected: 'events and an orderly end', actual: `${arrived} events, ${exchange.ending}` },
    exchange,
  );
}

/** Whether the last event of a stream that came to its end is that of the engine. */
export function endsLikeItsEngine(exchange: Exchange, engineBytes: Uint8Array): Judgement {
  const last = readEventStream(Buffer.from(engineBytes).toString('utf8')).events.at(-1);
  const arrived = eventsOf(exchange)?.events.at(-1);
  if (!isChatStream(exchange) || exchange.ending !== 'complete') return notObserved;
  return expectThat(
    arrived?.data === last?.data,
    'The last event of a stream is another than that of its engine.',
    { expected: last, actual: arrived ?? 'no event' },
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
