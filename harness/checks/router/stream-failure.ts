/** Judgements of streams that fail, for those that had begun: before that, another answer is right. */

import type { Exchange } from '../../exchange/exchange.ts';
import { notObserved, type Judgement } from '../judgement.ts';
import { isChatStream } from './chat-stream.ts';
import { earlyEnd } from './stream-delivery.ts';

/** The judgement of a chat stream that began, with status 200, and that we read on. Anything else shows nothing of it. */
export function onceBegun(exchange: Exchange, judgement: () => Judgement): Judgement {
  const leftByUs = exchange.ending === 'aborted' || exchange.ending === 'too-large';
  return isChatStream(exchange) && !leftByUs ? judgement() : notObserved;
}

/**
 * Whether a stream whose head the client had seen before its engine was lost kept status 200 and ended early.
 * `began` tells that it had: a router that waits for more of a stream has not begun it, and may still answer with an
 * error.
 */
export function failedAfterStart(exchange: Exchange, began: boolean): Judgement {
  return began ? earlyEnd(exchange) : notObserved;
}
