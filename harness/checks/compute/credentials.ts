/** Keys that are valid and have nothing to see (compute#authentication). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, pass, notObserved } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { idsOf, instancesOf, isSuccess } from './records.ts';

/** A valid key that policy keeps out gets 403 or 404. What it does get says nothing about what it may not. */
export function keptOut(exchange: Exchange): Judgement {
  if (!isTelling(exchange) || isSuccess(exchange)) return notObserved;
  const status = exchange.response?.status ?? 0;
  return expectThat(
    status === 403 || status === 404,
    'A valid key that policy keeps out was not refused with 403 or 404.',
    { expected: '403 or 404', actual: answered(exchange) },
    exchange,
  );
}

/**
 * An account without instances gets 200 and an empty list. Items that nobody else has may be new: somebody may
 * have made an instance there since the target file was written.
 */
export function emptyForEmptyAccount(exchange: Exchange, foreign: readonly string[]): Judgement {
  if (!isTelling(exchange)) return notObserved;
  const records = instancesOf(exchange);
  if (exchange.response?.status !== 200 || records === undefined) {
    return expectThat(
      false,
      'A valid key of an account without instances was not served a list.',
      { expected: '200 with an empty list', actual: answered(exchange) },
      exchange,
    );
  }
  if (records.length === 0) return pass();
  const known = new Set(foreign);
  const leaked = idsOf(records).find((id) => known.has(id));
  if (leaked === undefined) return notObserved;
  return expectThat(
    false,
    'An account without instances sees those of another.',
    { expected: 'an empty list', actual: leaked },
    exchange,
  );
}
