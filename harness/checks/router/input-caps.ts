/** Whether a request was refused for the caps of a policy (router#limits/input-caps). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { codeOf } from './envelope.ts';
import { outcomeText } from './final-codes.ts';

/** Held for any whole answer but input_too_long. */
export function notTooLong(exchange: Exchange): Judgement {
  if (exchange.response === undefined || exchange.ending !== 'complete') return notObserved;
  return expectThat(
    codeOf(exchange) !== 'input_too_long',
    'An input within the caps of the policy was refused as too long.',
    { expected: 'anything but input_too_long', actual: outcomeText(exchange) },
    exchange,
  );
}

/** Tokens that one image may be estimated at, by the most generous of estimates. */
export const MAX_TOKENS_PER_IMAGE = 2_000;

/** Whether so many images may be over a cap on tokens, whatever their number. */
export function mayBeTokens(images: number, maxInputTokens = Infinity): boolean {
  return maxInputTokens < images * MAX_TOKENS_PER_IMAGE;
}

/**
 * The same for as many images as a policy allows. Images weigh tokens too: where the cap on tokens is so small that they
 * may be over it, a refusal shows nothing of their number.
 */
export function imagesNotTooMany(
  exchange: Exchange,
  images: number,
  maxInputTokens = Infinity,
): Judgement {
  const judgement = notTooLong(exchange);
  return judgement.violations.length > 0 && mayBeTokens(images, maxInputTokens)
    ? notObserved
    : judgement;
}
