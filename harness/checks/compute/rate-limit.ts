/** What a key gets at and after its limit (compute#limits/rate-exceeded). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, held, vacuous, violated } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { isSuccess } from './records.ts';

function isLimited(exchange: Exchange): boolean {
  return exchange.response?.status === 429;
}

/**
 * Calls one after the other until one met the limit: each is served or answered with 429, and nothing else. A lone 500
 * is a failure that passes, as any call may meet one.
 */
export function limitedBy429(calls: readonly Exchange[]): Judgement {
  const limited = calls.filter((call) => isLimited(call)).length;
  if (limited === 0) return vacuous;
  const others = calls.filter((call) => isTelling(call) && !isSuccess(call));
  const [other] = others;
  const isLoneFailure = others.length === 1 && other?.response?.status === 500;
  if (other === undefined || isLoneFailure) return held(limited);
  return violated(
    'A key that goes on past its limit is refused with something else than 429.',
    { expected: 'a 2xx or 429', actual: answered(other) },
    other,
  );
}

/** Another key is served while the first one is limited: before and after, or nothing is said. A failure is no limit. */
export function otherKeyServed(before: Exchange, other: Exchange, after: Exchange): Judgement {
  if (!isLimited(before) || !isLimited(after)) return vacuous;
  if (!isTelling(other) && !isLimited(other)) return vacuous;
  if (other.response?.status === 500) return vacuous;
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
  if (last === undefined || (!isTelling(last) && !isLimited(last))) return vacuous;
  return expectThat(
    !isLimited(last),
    `A key is still limited after it has waited ${calls.length} times as long as it was told.`,
    { expected: 'no 429', actual: answered(last) },
    ...calls.toReversed(),
  );
}
