/** The outcome of requests: accepted, refused, failed by chance or limited (compute#errors, compute#limits). */

import { codeOfStatus, type DocumentedStatus } from '../../../schemas/compute/errors.ts';
import { bodyText } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import { codeOf } from './envelope.ts';
import { isSuccess } from './records.ts';

/** Whether a response says anything about the request: no transport trouble, no answer of a proxy, no rate limit. */
export function isInformative(exchange: Exchange): boolean {
  const status = exchange.response?.status;
  return (
    exchange.ending === 'complete' &&
    status !== undefined &&
    status !== 408 &&
    !(status === 413 && codeOf(exchange) === undefined) &&
    status !== 429 &&
    (status <= 500 || status === 501 || status === 505)
  );
}

/** Status and body in short, as the actual side of a violation. */
export function answered(exchange: Exchange): string {
  const status = exchange.response?.status;
  return status === undefined ? exchange.ending : `${status} ${bodyText(exchange)}`.trim();
}

/** Passes when `isRight`. A response that says nothing about the request is not observed. */
export function expectAnswer(
  exchange: Exchange,
  isRight: boolean,
  message: string,
  expected: string,
): Judgement {
  if (!isInformative(exchange)) return notObserved;
  // Most responses pass, and formatting one costs more than judging it.
  return isRight ? pass() : violated(message, { expected, actual: answered(exchange) }, exchange);
}

/** Passes on a 2xx; `what` is the request as text: "A stop without a body". */
export function accepted(exchange: Exchange, what: string): Judgement {
  return expectAnswer(exchange, isSuccess(exchange), `${what} was not accepted.`, 'a 2xx status');
}

/** Passes on anything but a 2xx. */
export function notAccepted(exchange: Exchange, what: string): Judgement {
  return expectAnswer(exchange, !isSuccess(exchange), `${what} was accepted.`, 'a refusal');
}

/** Passes on this status with the code that the contract pairs with it. */
export function refusedWith(exchange: Exchange, status: DocumentedStatus, what: string): Judgement {
  const isStatus = exchange.response?.status === status;
  if (!isInformative(exchange) && !isStatus) return notObserved;
  const code = codeOfStatus[status];
  return expectThat(
    isStatus && codeOf(exchange) === code,
    `${what} was not refused with ${status} ${code}.`,
    { expected: `${status} ${code}`, actual: answered(exchange) },
    exchange,
  );
}

/** Passes on one of these statuses, whatever the body. */
export function answeredWith(
  exchange: Exchange,
  statuses: number | readonly number[],
  what: string,
): Judgement {
  const isRight = [statuses].flat().includes(exchange.response?.status ?? 0);
  const expected = [statuses].flat().join(' or ');
  return expectAnswer(exchange, isRight, `${what} was not answered with ${expected}.`, expected);
}

/** Passes on anything but a 5xx. A 502, 503 or 504 may come from a proxy and is not judged. */
export function noServerError(exchange: Exchange, what: string): Judgement {
  const isRight = (exchange.response?.status ?? 0) < 500;
  return expectAnswer(exchange, isRight, `${what} brought about a server error.`, 'no 5xx');
}

/** Failures that may happen by chance: two, or a small share of very many calls. */
const FAILURES_BY_CHANCE = 2;
const SHARE_BY_CHANCE = 0.01;

/** The responses without their failures, when chance explains those; otherwise all responses. */
function withoutChance(answers: readonly Exchange[]): readonly Exchange[] {
  const others = answers.filter((answer) => !isFailure(answer));
  const byChance = Math.max(FAILURES_BY_CHANCE, answers.length * SHARE_BY_CHANCE);
  return answers.length - others.length <= byChance ? others : answers;
}

/** Of many ordinary reads of one operation, no more failed than chance explains. */
export function failsByChanceAlone(answers: readonly Exchange[]): Judgement {
  return together(
    ...withoutChance(answers).map((answer) => {
      const { method, path, query } = answer.request;
      return noServerError(answer, `${method} ${path}${query === '' ? '' : `?${query}`}`);
    }),
  );
}

function isFailure(answer: Exchange): boolean {
  return isInformative(answer) && (answer.response?.status ?? 0) >= 500;
}

function isLimited(exchange: Exchange): boolean {
  return exchange.response?.status === 429;
}

/** Whether a response says that its key is over its limit, by status or by code alone. */
export function saysLimited(call: Exchange): boolean {
  return isLimited(call) || codeOf(call) === codeOfStatus[429];
}

/** Consecutive calls up to the rate limit: each one succeeds or gets 429, apart from occasional failures. */
export function limitedBy429(calls: readonly Exchange[]): Judgement {
  const limited = calls.filter((call) => isLimited(call)).length;
  const misnamed = calls.find((call) => saysLimited(call) && !isLimited(call));
  if (limited === 0 && misnamed === undefined) return notObserved;
  // Policy may keep a key out that is never served.
  const fitting = calls.some(isSuccess) ? 200 : 403;
  const isOther = (call: Exchange): boolean =>
    isInformative(call) && !isSuccess(call) && call.response?.status !== fitting;
  const other = misnamed ?? withoutChance(calls).find(isOther);
  if (other === undefined) return pass(limited);
  return violated(
    'A key that goes on past its limit is refused with something else than 429.',
    { expected: 'a 2xx or 429', actual: answered(other) },
    other,
  );
}

/** Another key is served while the first one is limited; judged only when that one is limited before and after. */
export function otherKeyServed(before: Exchange, other: Exchange, after: Exchange): Judgement {
  if (!isLimited(before) || !isLimited(after)) return notObserved;
  const [heard] = withoutChance([other]);
  if (heard === undefined || (!isInformative(other) && !isLimited(other))) return notObserved;
  return expectThat(
    isSuccess(other),
    'Another key is not served while one key is over its limit.',
    { expected: 'a 2xx status', actual: answered(other) },
    other,
    before,
    after,
  );
}

/** After each wait that the previous response asked for, the last of these calls is served. */
export function servedAfterWaits(calls: readonly Exchange[]): Judgement {
  const last = calls.at(-1);
  if (last === undefined || (!isInformative(last) && !isLimited(last))) return notObserved;
  return expectThat(
    !isLimited(last),
    `A key is still limited after it has waited ${calls.length} times as long as it was told.`,
    { expected: 'no 429', actual: answered(last) },
    ...calls.toReversed(),
  );
}
