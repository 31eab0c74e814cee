/** Whether a model that no agent registers is not found (router#codes/model_not_found). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { codeOf, envelopeOf } from './envelope.ts';
import { endedWith, outcomeText } from './final-codes.ts';

/**
 * Held for model_not_found. A key with an allowlist may be told model_forbidden instead, since the order of the two is
 * open: `plainKey` says that the key is known to have none.
 */
export function modelNotFound(exchange: Exchange, plainKey: boolean): Judgement {
  if (!plainKey && codeOf(exchange) === 'model_forbidden') return notObserved;
  return endedWith(exchange, ['model_not_found']);
}

/**
 * Held when a route answers a request for an unknown model with the envelope, so that it exists. An answer that is no
 * error is another mistake and shows nothing of this one.
 */
export function routeAnswers(exchange: Exchange): Judgement {
  const status = exchange.response?.status ?? 0;
  if (status < 400 || exchange.ending !== 'complete') return notObserved;
  return expectThat(
    envelopeOf(exchange) !== undefined,
    'A known route did not answer as one.',
    { expected: 'the error envelope', actual: `${status}, no envelope` },
    exchange,
  );
}

/** Whether two answers have the same status, code and source (router#endpoints/get-model). */
export function sameError(one: Exchange, other: Exchange): Judgement {
  if (one.ending !== 'complete' || other.ending !== 'complete') return notObserved;
  const [first, second] = [one, other].map((exchange) => {
    const source = envelopeOf(exchange)?.source;
    return `${outcomeText(exchange)}${source === undefined ? '' : `, source ${source}`}`;
  });
  return expectThat(
    first === second,
    'Two refusals that must look alike do not.',
    { expected: first, actual: second },
    other,
    one,
  );
}
