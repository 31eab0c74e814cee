/** Whether a key without quotas is told of none (router#headers/unlimited). */

import type { Exchange } from '../../exchange/exchange.ts';
import { headerValue } from '../../exchange/headers.ts';
import { expectThat, together, notObserved, type Judgement } from '../judgement.ts';
import { type Quota, remainingHeaders } from './remaining-quota.ts';

/** Whether neither of the remaining headers is there. */
export function omitsRemaining(exchange: Exchange): Judgement {
  return together(omits(exchange, 'requests'), omits(exchange, 'tokens'));
}

/** Whether nothing is told of a quota that the key does not have. */
export function omits(exchange: Exchange, quota: Quota): Judgement {
  const { response } = exchange;
  if (response === undefined) return notObserved;
  const value = headerValue(response.headers, remainingHeaders[quota]);
  return expectThat(
    value === undefined,
    `A key without a quota of ${quota} got ${remainingHeaders[quota]}.`,
    { expected: 'no such header', actual: value },
    exchange,
  );
}
