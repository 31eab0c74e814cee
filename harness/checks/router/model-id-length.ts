/** What becomes of a model id that nobody registers, by its length (router#limits/model-id-length). */

import { MODEL_ID_LENGTH } from '../../../schemas/router/limits.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { codeOf } from './envelope.ts';
import { endedWith, outcomeText } from './final-codes.ts';

/**
 * Held when an unknown id of a permitted length is refused like `short`, a short unknown id. Invalid it is in no case:
 * nothing but its length could make it so.
 */
export function notRefusedForLength(exchange: Exchange, short: Exchange): Judgement {
  if (exchange.ending !== 'complete' || short.ending !== 'complete') return notObserved;
  if (codeOf(short) === '') return notObserved;
  const invalid = codeOf(exchange) === 'request_invalid';
  return expectThat(
    !invalid && outcomeText(exchange) === outcomeText(short),
    'A model id of a permitted length was refused for its length.',
    { expected: 'model_not_found, as for a short id', actual: outcomeText(exchange) },
    exchange,
    short,
  );
}

/** Judges an unknown id in ASCII by the side of the bound on which its length lies. */
export function judgedByLength(exchange: Exchange, length: number, short: Exchange): Judgement {
  return length > MODEL_ID_LENGTH
    ? endedWith(exchange, ['request_invalid'])
    : notRefusedForLength(exchange, short);
}
