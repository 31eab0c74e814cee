/** What becomes of an answer in one piece whose engine was lost in the middle of its body (router#overview/outcome). */

import { bodyText } from '../../exchange/body.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { isSuccess } from './success.ts';

/**
 * Whether the beginning of `text`, a body of which the engine sent no more, does not pass for a whole answer: by its own
 * framing it must not be one. A body that ends with its connection tells nobody whether it is whole.
 */
export function lostAnswerNotWhole(exchange: Exchange, text: string): Judgement {
  const { response } = exchange;
  if (response === undefined || exchange.ending === 'aborted') return notObserved;
  const framed = ['content-length', 'transfer-encoding'].some(
    (name) => headerValue(response.headers, name) !== undefined,
  );
  if (isSuccess(exchange) && exchange.ending === 'complete' && !framed) return notObserved;
  const body = bodyText(exchange);
  const isPart = body.length < text.length && text.startsWith(body);
  return expectThat(
    !(isSuccess(exchange) && exchange.ending === 'complete' && isPart),
    'The beginning of an answer whose engine was lost came as a whole answer.',
    {
      expected: 'a structured error, the answer of another agent, or an early end',
      actual: `status ${response.status}, complete: ${body}`,
    },
    exchange,
  );
}
