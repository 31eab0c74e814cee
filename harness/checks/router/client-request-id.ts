/** X-Request-ID of a response whose request brought a text that is no UUID (router#headers/x-request-id). */

import { requestId } from '../../../schemas/router/response-headers.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, type Judgement } from '../judgement.ts';
import { requestIdOf } from './request-id.ts';

/** Held when the id of the response is a UUID. A response without an id is the business of another check. */
export function uuidDespiteClient(exchange: Exchange): Judgement {
  const id = requestIdOf(exchange);
  if (id === undefined) return notObserved;
  return expectThat(
    requestId.safeParse(id).success,
    'X-Request-ID is not a UUID after the client sent another text.',
    { expected: 'a UUID', actual: id },
    exchange,
  );
}
