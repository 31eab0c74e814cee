/** What one account shows of another (compute#overview/scoped). */

import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { isTelling } from './answers.ts';
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
