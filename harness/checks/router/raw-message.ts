/** How much of an engine's raw body became the message (router#backend-classification/truncation). */

import { RAW_MESSAGE_BYTES } from '../../../schemas/router/backend-classification.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { envelopeOf } from './envelope.ts';

/**
 * The longest beginning of `raw` that stands in `message`, in bytes of UTF-8. What a router adds around it, such as
 * an ellipsis or the replacement of a character that the cut went through, is no part of the body.
 */
export function bytesKept(message: string, raw: string): number {
  // No beginning that is longer than the message stands in it.
  const characters = Array.from(raw.slice(0, message.length));
  let low = 0;
  let high = characters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (message.includes(characters.slice(0, middle).join(''))) low = middle;
    else high = middle - 1;
  }
  return Buffer.byteLength(characters.slice(0, low).join(''));
}

/** What a router writes behind a cut may begin as the body goes on, for so many bytes at most. */
const ALIKE_BYTES = 16;

/**
 * Whether at most 512 bytes of a raw body were kept. `raw` is longer than that, is no JSON in which a message could stand,
 * and repeats nothing of its beginning. A message without any of it shows nothing.
 */
export function rawMessageTruncated(exchange: Exchange, raw: string): Judgement {
  const message = envelopeOf(exchange)?.message;
  if (message === undefined || Buffer.byteLength(raw) <= RAW_MESSAGE_BYTES) return notObserved;
  const kept = bytesKept(message, raw);
  if (kept === 0) return notObserved;
  const isLast = raw.includes(message.slice(-ALIKE_BYTES));
  return expectThat(
    kept <= RAW_MESSAGE_BYTES + (isLast ? 0 : ALIKE_BYTES),
    'More of a raw body became the message than may.',
    { expected: `at most ${RAW_MESSAGE_BYTES} bytes`, actual: `${kept} bytes: ${message}` },
    exchange,
  );
}

/**
 * Whether the message holds the beginning of a raw body: all of a short one, and of a long one enough to tell that it
 * is its beginning (three quarters of what may be kept, so that a router may introduce it and mark the cut within the
 * bound).
 */
export function rawMessageIsBeginning(exchange: Exchange, raw: string): Judgement {
  const message = envelopeOf(exchange)?.message;
  if (message === undefined || raw.trim() === '') return notObserved;
  const length = Buffer.byteLength(raw);
  const least = Math.min(length, (3 * RAW_MESSAGE_BYTES) / 4);
  // A character that straddles that is not asked for: none is longer than four bytes.
  return expectThat(
    bytesKept(message, raw.trim()) >= Math.min(Buffer.byteLength(raw.trim()), least) - 3,
    'The message does not hold the beginning of the raw body.',
    { expected: raw.slice(0, RAW_MESSAGE_BYTES), actual: message },
    exchange,
  );
}
