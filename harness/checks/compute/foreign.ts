/** What one account shows of another (compute#overview/scoped). */

import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { isTelling, refusedWith } from './answers.ts';
import { idsOf, instancesOf } from './records.ts';

/** A page shows none of another account's instances; a refusal shows none either. */
export function showsNoneOf(foreign: readonly string[], page: Exchange, what: string): Judgement {
  if (foreign.length === 0 || !isTelling(page)) return notObserved;
  const others = new Set(foreign);
  const shown = idsOf(instancesOf(page) ?? []).filter((id) => others.has(id));
  return expectThat(
    shown.length === 0,
    `${what} showed instances of another account.`,
    { expected: 'none of them', actual: shown.slice(0, 5) },
    page,
  );
}

/**
 * An action on an instance of another account is 404. A 403 may be a policy that forbids the key that action altogether:
 * then `unknown`, the answer for an id that exists nowhere, is one as well; without it a 403 says nothing.
 */
export function foreignNotFound(
  foreign: Exchange,
  unknown: Exchange | undefined,
  what: string,
): Judgement {
  const isPolicy = unknown === undefined || unknown.response?.status === 403;
  if (foreign.response?.status === 403 && isPolicy) return notObserved;
  return refusedWith(foreign, 404, what);
}

/** One caller's reading, another's, and the first one's again: what changed in between says nothing. */
export function sameForBoth<T>(
  readings: { readonly first: T; readonly other: T; readonly again: T },
  what: string,
  ...exchanges: readonly Exchange[]
): Judgement {
  const { first, other, again } = readings;
  if (!isDeepStrictEqual(first, again)) return notObserved;
  return expectThat(
    isDeepStrictEqual(first, other),
    `Two accounts read different ${what}.`,
    { expected: first, actual: other },
    ...exchanges,
  );
}
