/** Whether a body was refused for its size (router#limits/body-size). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { outcomeText } from './final-codes.ts';

/** Held for a 413, whatever its body. A server may close before everything was sent: without a status nothing is seen. */
export function refusedAsTooLarge(exchange: Exchange): Judgement {
  if (exchange.response === undefined) return notObserved;
  return expectThat(
    exchange.response.status === 413,
    'A body over the size limit was not refused for its size.',
    { expected: '413', actual: outcomeText(exchange) },
    exchange,
  );
}

/** Held for any answer but a 413. */
export function notTooLarge(exchange: Exchange): Judgement {
  if (exchange.response === undefined) return notObserved;
  return expectThat(
    exchange.response.status !== 413,
    'A body within the size limit was refused for its size.',
    { expected: 'anything but 413', actual: outcomeText(exchange) },
    exchange,
  );
}
