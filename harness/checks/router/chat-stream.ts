/** Streams of the native chat route: label, events, and no error inside. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { errorEnvelope } from '../../../schemas/router/envelope.ts';
import { EVENT_STREAM } from '../../../schemas/router/streaming.ts';
import { type Exchange, mediaType } from '../../exchange/exchange.ts';
import { expectThat, pass, violated, type Judgement } from '../judgement.ts';
import type { UniversalJudgement } from '../universal.ts';
import { endMarkers, eventsOf, type EventStream } from './event-stream.ts';
import type { RouterKnowledge } from './knowledge.ts';
import { asksForStream } from './request-body.ts';
import { routeOf } from './route.ts';

/** True for a chat completion that was asked to stream and began: the status is 200. */
export function isChatStream(exchange: Exchange): boolean {
  return (
    routeOf(exchange) === 'chatCompletions' &&
    exchange.response?.status === 200 &&
    asksForStream(exchange)
  );
}

/** Judges every begun chat stream by what arrived of it (router#endpoints/streams, router#streaming). */
export function* chatStream(
  exchange: Exchange,
  knowledge: RouterKnowledge,
): Generator<UniversalJudgement<RouterRequirementId>> {
  if (!isChatStream(exchange)) return;
  const type = mediaType(exchange.response?.headers ?? []);
  yield {
    requirement: 'router.streaming.content-type',
    judgement: expectThat(
      type === EVENT_STREAM,
      'A stream is not labelled as an event stream.',
      { expected: EVENT_STREAM, actual: type ?? 'no Content-Type' },
      exchange,
    ),
  };
  if (type !== EVENT_STREAM) return;
  const stream = eventsOf(exchange);
  if (stream === undefined || exchange.response?.body.length === 0) return;
  yield {
    requirement: 'router.streaming.events-parse',
    judgement: expectThat(
      stream.strayLines.length === 0,
      'A stream holds lines that are no part of server-sent events.',
      { expected: 'comments and fields such as `data: …`', actual: stream.strayLines },
      exchange,
    ),
  };
  if (knowledge.mayBeForwarded?.(exchange) === true) return;
  const envelope = envelopeInside(exchange, stream);
  if (envelope !== undefined) {
    yield { requirement: 'router.streaming.no-envelope-in-stream', judgement: envelope };
  }
}

/**
 * Whether the error envelope stands inside a begun stream. Seen only where a stream did not reach its end marker:
 * one that ended well had no error to put there. Undefined: nothing seen.
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
  const finished = endMarkers(stream) > 0;
  // Where we stopped to read, what came after may have ended it well.
  const unread = exchange.ending === 'aborted' || exchange.ending === 'too-large';
  return finished || unread ? undefined : pass();
}

function isEnvelope(text: string): boolean {
  if (!text.includes('"error"')) return false;
  try {
    return errorEnvelope.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
