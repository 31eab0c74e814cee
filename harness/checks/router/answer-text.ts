/** Whether what an engine wrote is in an answer, by a text that nothing else has. */

import { bodyText } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { outcomeText } from './final-codes.ts';
import { isSuccess } from './success.ts';

/** Held for a success whose body holds `text`, which needs no escaping in JSON. */
export function answeredWith(exchange: Exchange, text: string): Judgement {
  if (exchange.response === undefined || exchange.ending !== 'complete') return notObserved;
  const body = bodyText(exchange);
  return expectThat(
    isSuccess(exchange) && body.includes(text),
    'The answer is not the one that the engine gave last.',
    {
      expected: `a success with ${JSON.stringify(text)}`,
      actual: `${outcomeText(exchange)}: ${body}`,
    },
    exchange,
  );
}

/** Held when nothing of `text` is in the body of an error. A success is another mistake and shows nothing of this one. */
export function discarded(exchange: Exchange, text: string): Judgement {
  if (exchange.response === undefined || isSuccess(exchange)) return notObserved;
  const body = bodyText(exchange);
  return expectThat(
    !body.includes(text),
    'Output that had to be discarded reached the client.',
    { expected: `nothing of ${JSON.stringify(text)}`, actual: body },
    exchange,
  );
}
