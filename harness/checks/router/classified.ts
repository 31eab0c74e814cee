/** Whether the native chat route made of an engine's error what the tables say. */

import { CERTAIN_CHARACTERS } from '../../../schemas/router/backend-classification.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { classifiedEnds, classify, type EngineError } from './classification.ts';
import { codeOf, envelopeOf } from './envelope.ts';
import { endedWith, outcomeText } from './final-codes.ts';

/** Held when the session ended as the one code of the tables may end. Where they leave a reading open, nothing is seen. */
export function classifiedAs(exchange: Exchange, error: EngineError): Judgement {
  return classify(error).length === 1 ? endedWith(exchange, classifiedEnds(error)) : notObserved;
}

/** Held when a 429 of the engine is not passed off as a limit of the router (router#backend-classification/status/429-503). */
export function noRateLimit(exchange: Exchange): Judgement {
  if (exchange.response === undefined || exchange.ending !== 'complete') return notObserved;
  return expectThat(
    exchange.response.status !== 429 && codeOf(exchange) !== 'rate_limit_exceeded',
    'A 429 of the engine came out as a rate limit.',
    { expected: 'backend_unavailable, or the end of retries', actual: outcomeText(exchange) },
    exchange,
  );
}

/** Whether the message of an error holds the beginning of what the engine said. Without an envelope nothing is seen. */
export function messageHolds(exchange: Exchange, text: string): Judgement {
  const message = envelopeOf(exchange)?.message;
  const beginning = Array.from(text.trim()).slice(0, CERTAIN_CHARACTERS).join('').trim();
  if (message === undefined || beginning === '') return notObserved;
  return expectThat(
    message.includes(beginning),
    'The message does not hold what the engine said.',
    { expected: beginning, actual: message },
    exchange,
  );
}
