/** Bodies that are no UTF-8 (router#codes/request_invalid). */

import type { Exchange } from '../../exchange/exchange.ts';
import { pass, notObserved, type Judgement } from '../judgement.ts';
import { envelopeOf } from './envelope.ts';
import { endedWith } from './final-codes.ts';
import { foundNoRoom } from './passing.ts';
import { isSuccess } from './success.ts';

/**
 * Whether a body that is no UTF-8 was refused as invalid, or read all the same: many JSON readers put a replacement
 * character for bytes that are no text, and hand such a request on to its engine. One that found no room was read, and
 * shows no more.
 */
export function refusedOrReadAllTheSame(exchange: Exchange): Judgement {
  if (foundNoRoom(exchange)) return notObserved;
  const wasHandedOn = isSuccess(exchange) || envelopeOf(exchange)?.source === 'backend';
  return wasHandedOn ? pass() : endedWith(exchange, ['request_invalid']);
}
