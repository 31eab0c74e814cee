/** No two requests share a request id (compute#errors/request_id). */

import type { Exchange } from '../../exchange/exchange.ts';
import { headerValue } from '../../exchange/headers.ts';
import { type Judgement, expectThat, vacuous } from '../judgement.ts';
import { requestIdOf } from './envelope.ts';

/** Request ids that were seen, each with the exchange that carried it. Keeps names and no bodies. */
export class RequestIdLedger {
  readonly #carriers = new Map<string, string>();

  /** Notes the id of an exchange; gives the id of another exchange that carried it before. */
  note(requestId: string, exchange: Exchange): string | undefined {
    const carrier = this.#carriers.get(requestId);
    if (carrier === undefined) this.#carriers.set(requestId, exchange.id);
    return carrier === exchange.id ? undefined : carrier;
  }
}

/**
 * Whether an exchange carries a request id that an earlier one did not. A server may echo an id that the
 * client chose, so an exchange whose request brought one says nothing.
 */
export function freshRequestId(ledger: RequestIdLedger, exchange: Exchange): Judgement {
  const requestId = requestIdOf(exchange);
  if (requestId === undefined) return vacuous;
  if (headerValue(exchange.request.headers, 'x-request-id') !== undefined) return vacuous;
  const earlier = ledger.note(requestId, exchange);
  return expectThat(
    earlier === undefined,
    'Two requests were given the same request id, so a log cannot tell them apart.',
    { expected: 'an id of its own', actual: `${requestId}, as in exchange ${earlier}` },
    exchange,
  );
}
