/** No two requests share a request id (compute#errors/request_id). */

import type { Exchange } from '../../exchange/exchange.ts';
import { headerValue } from '../../exchange/headers.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import type { RequestIdLedger } from '../request-id-ledger.ts';
import { requestIdOf } from './envelope.ts';

/**
 * Whether an exchange carries a request id that an earlier one did not. A server may echo an id that the
 * client chose, so an exchange whose request brought one says nothing.
 */
export function freshRequestId(ledger: RequestIdLedger, exchange: Exchange): Judgement {
  const requestId = requestIdOf(exchange);
  if (requestId === undefined) return notObserved;
  if (headerValue(exchange.request.headers, 'x-request-id') !== undefined) return notObserved;
  const earlier = ledger.note(requestId, exchange);
  return expectThat(
    earlier === undefined,
    'Two requests were given the same request id, so a log cannot tell them apart.',
    { expected: 'an id of its own', actual: `${requestId}, as in exchange ${earlier}` },
    exchange,
  );
}
