/** Whether an answer is a success, and of which kind. */

import { type Exchange, mediaType } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { outcomeText } from './final-codes.ts';

/** True for a 2xx. */
export function isSuccess(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return status >= 200 && status < 300;
}

/** Held for a 2xx. */
export function succeeded(exchange: Exchange): Judgement {
  if (exchange.response === undefined) return notObserved;
  return expectThat(
    isSuccess(exchange),
    'A request that can be served was not.',
    { expected: 'a success', actual: outcomeText(exchange) },
    exchange,
  );
}

/** Held for this status. */
export function hasStatus(exchange: Exchange, status: number): Judgement {
  if (exchange.response === undefined) return notObserved;
  return expectThat(
    exchange.response.status === status,
    `The status is not ${status}.`,
    { expected: status, actual: outcomeText(exchange) },
    exchange,
  );
}

/** Whether the content type of a success is this one, parameters aside. Errors show nothing. */
export function hasMediaType(exchange: Exchange, expected: string): Judgement {
  if (!isSuccess(exchange)) return notObserved;
  const actual = mediaType(exchange.response?.headers ?? []);
  return expectThat(
    actual === expected,
    'A success has another content type than the engine gave it.',
    { expected, actual: actual ?? 'no Content-Type' },
    exchange,
  );
}
