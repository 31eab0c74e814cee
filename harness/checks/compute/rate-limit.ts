/** What a key gets at and after its limit (compute#limits/rate-exceeded). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, pass, notObserved, violated } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { withoutChance } from './passing-failure.ts';
import { isSuccess } from './records.ts';

function isLimited(exchange: Exchange): boolean {
  return exchange.response?.status === 429;
}

/**
 * Calls one after the other until one met the limit: each is served or answered with 429, and nothing else, but for
 * a failure that passes.
 */
export function limitedBy429(calls: readonly Exchange[]): Judgement {
  const limited = calls.filter((call) => isLimited(call)).length;
  if (limited === 0) return notObserved;
  const other = withoutChance(calls).find((call) => isTelling(call) && !isSuccess(call));
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
  if (heard === undefined || (!isTelling(other) && !isLimited(other))) return notObserved;
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
  if (last === undefined || (!isTelling(last) && !isLimited(last))) return notObserved;
  return expectThat(
    !isLimited(last),
    `A key is still limited after it has waited ${calls.length} times as long as it was told.`,
    { expected: 'no 429', actual: answered(last) },
    ...calls.toReversed(),
  );
}
