/** Whether a key without quotas is told of none (router#headers/unlimited). */

import type { Exchange } from '../../exchange/exchange.ts';
import { headerValue } from '../../exchange/headers.ts';
import { expectThat, together, notObserved, type Judgement } from '../judgement.ts';
import { remainingHeaders } from './remaining-quota.ts';

/** Held when neither of the remaining headers is there. */
export function omitsRemaining(exchange: Exchange): Judgement {
  const { response } = exchange;
  if (response === undefined) return notObserved;
  return together(
    ...Object.values(remainingHeaders).map((name) =>
      expectThat(
        headerValue(response.headers, name) === undefined,
        `A key without quotas got ${name}.`,
        { expected: 'no such header', actual: headerValue(response.headers, name) },
        exchange,
      ),
    ),
  );
}
