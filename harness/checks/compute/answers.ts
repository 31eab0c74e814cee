/** What became of a request: accepted, refused with a status and code, or neither. */

import { type DocumentedStatus, codeOfStatus } from '../../../schemas/compute/errors.ts';
import { bodyText } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { codeOf } from './envelope.ts';
import { isSuccess } from './records.ts';

/**
 * Whether an answer can be held against what was asked. Transport trouble, a proxy's 408, 502, 503 or 504
 * and a met rate limit say nothing about it.
 */
export function isTelling(exchange: Exchange): boolean {
  const status = exchange.response?.status;
  return (
    exchange.ending === 'complete' &&
    status !== undefined &&
    status !== 408 &&
    status !== 429 &&
    (status <= 500 || status === 501 || status === 505)
  );
}

/** Status and body in short, as the actual side of a finding. */
export function answered(exchange: Exchange): string {
  const status = exchange.response?.status;
  return status === undefined ? exchange.ending : `${status} ${bodyText(exchange)}`.trim();
}

/** A 2xx; `what` is the request in words, for the message: "A stop without a body". */
export function accepted(exchange: Exchange, what: string): Judgement {
  if (!isTelling(exchange)) return notObserved;
  return expectThat(
    isSuccess(exchange),
    `${what} was not accepted.`,
    { expected: 'a 2xx status', actual: answered(exchange) },
    exchange,
  );
}

/** No 2xx, however it is refused. */
export function notAccepted(exchange: Exchange, what: string): Judgement {
  if (!isTelling(exchange)) return notObserved;
  return expectThat(
    !isSuccess(exchange),
    `${what} was accepted.`,
    { expected: 'a refusal', actual: answered(exchange) },
    exchange,
  );
}

/** Exactly this status, whatever the body. */
export function answeredWith(exchange: Exchange, status: number, what: string): Judgement {
  if (!isTelling(exchange)) return notObserved;
  return expectThat(
    exchange.response?.status === status,
    `${what} was not answered with ${status}.`,
    { expected: status, actual: answered(exchange) },
    exchange,
  );
}

/** This status together with the code that the contract pairs with it. */
export function refusedWith(exchange: Exchange, status: DocumentedStatus, what: string): Judgement {
  if (!isTelling(exchange) && exchange.response?.status !== status) return notObserved;
  const code = codeOfStatus[status];
  return expectThat(
    exchange.response?.status === status && codeOf(exchange) === code,
    `${what} was not refused with ${status} ${code}.`,
    { expected: `${status} ${code}`, actual: answered(exchange) },
    exchange,
  );
}

/** One of several statuses, whatever the body. */
export function answeredWithOneOf(
  exchange: Exchange,
  statuses: readonly number[],
  what: string,
): Judgement {
  if (!isTelling(exchange)) return notObserved;
  return expectThat(
    statuses.includes(exchange.response?.status ?? 0),
    `${what} was answered with none of ${statuses.join(', ')}.`,
    { expected: statuses.join(' or '), actual: answered(exchange) },
    exchange,
  );
}

/** No 5xx. A proxy's 502, 503 or 504 is transport trouble and says nothing. */
export function noServerError(exchange: Exchange, what: string): Judgement {
  if (!isTelling(exchange)) return notObserved;
  return expectThat(
    (exchange.response?.status ?? 0) < 500,
    `${what} brought about a server error.`,
    { expected: 'no 5xx', actual: answered(exchange) },
    exchange,
  );
}
