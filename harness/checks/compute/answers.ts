/** What became of requests: accepted, refused with a status and code, failed by chance, or limited (compute#errors, compute#limits). */

import { codeOfStatus, type DocumentedStatus } from '../../../schemas/compute/errors.ts';
import { bodyText } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import { codeOf } from './envelope.ts';
import { isSuccess } from './records.ts';

/**
 * Whether an answer can be held against what was asked. Transport trouble, a proxy's 408, 502, 503 or 504, its 413, which
 * carries no code, and a met rate limit say nothing about it.
 */
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

/** Status and body in short, as the actual side of a finding. */
export function answered(exchange: Exchange): string {
  const status = exchange.response?.status;
  return status === undefined ? exchange.ending : `${status} ${bodyText(exchange)}`.trim();
}

/** Holds an answer against what it should be. One that tells nothing of it is not observed. */
export function expectAnswer(
  exchange: Exchange,
  isRight: boolean,
  message: string,
  expected: string,
): Judgement {
  if (!isInformative(exchange)) return notObserved;
  // Nearly every answer is right, and to put one into words costs more than to judge it.
  return isRight ? pass() : violated(message, { expected, actual: answered(exchange) }, exchange);
}

/** A 2xx; `what` is the request in words: "A stop without a body". */
export function accepted(exchange: Exchange, what: string): Judgement {
  return expectAnswer(exchange, isSuccess(exchange), `${what} was not accepted.`, 'a 2xx status');
}

/** No 2xx, however it is refused. */
export function notAccepted(exchange: Exchange, what: string): Judgement {
  return expectAnswer(exchange, !isSuccess(exchange), `${what} was accepted.`, 'a refusal');
}

/** This status together with the code that the contract pairs with it. */
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

/** This status, or one of several, whatever the body. */
export function answeredWith(
  exchange: Exchange,
  statuses: number | readonly number[],
  what: string,
): Judgement {
  const isRight = [statuses].flat().includes(exchange.response?.status ?? 0);
  const expected = [statuses].flat().join(' or ');
  return expectAnswer(exchange, isRight, `${what} was not answered with ${expected}.`, expected);
}

/** No 5xx. A proxy's 502, 503 or 504 is transport trouble and says nothing. */
export function noServerError(exchange: Exchange, what: string): Judgement {
  const isRight = (exchange.response?.status ?? 0) < 500;
  return expectAnswer(exchange, isRight, `${what} brought about a server error.`, 'no 5xx');
}

/** A call may meet a failure that passes, and a second one by chance; a third is no chance, unless of very many. */
const FAILURES_BY_CHANCE = 2;
const SHARE_BY_CHANCE = 0.01;

/** Answers to many calls, less the failures that chance explains: no more than a few of them. */
function withoutChance(answers: readonly Exchange[]): readonly Exchange[] {
  const others = answers.filter((answer) => !isFailure(answer));
  const byChance = Math.max(FAILURES_BY_CHANCE, answers.length * SHARE_BY_CHANCE);
  return answers.length - others.length <= byChance ? others : answers;
}

/** Judges many answers to ordinary reads of one operation: no more of them failed than may by chance. */
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

/** Whether an answer says that its key is over its limit, by its status or by its code alone. */
export function saysLimited(call: Exchange): boolean {
  return isLimited(call) || codeOf(call) === codeOfStatus[429];
}

/**
 * Calls one after the other until one met the limit: each is served or answered with 429, and nothing else, but for
 * a failure that passes.
 */
export function limitedBy429(calls: readonly Exchange[]): Judgement {
  const limited = calls.filter((call) => isLimited(call)).length;
  const misnamed = calls.find((call) => saysLimited(call) && !isLimited(call));
  if (limited === 0 && misnamed === undefined) return notObserved;
  const other =
    misnamed ?? withoutChance(calls).find((call) => isInformative(call) && !isSuccess(call));
  if (other === undefined) return pass(limited);
  return violated(
    'A key that goes on past its limit is refused with something else than 429.',
    { expected: 'a 2xx or 429', actual: answered(other) },
    other,
  );
}

/** Another key is served while the first one is limited: before and after, or nothing is said. */
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

/** The last of some calls, each made after the wait that the one before asked for, is served. */
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
