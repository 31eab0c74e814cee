/** Requests under an id that was used before: what refuses them for that, and what for the rate of their key. */

import { randomUUID } from 'node:crypto';
import { isRateLimited } from '../../checks/router/request-bucket.ts';
import { isSuccess } from '../../checks/router/success.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** Which of the requests in a row bear the used id: in no order in which a bucket refills by chance. */
const BEARS_USED = [false, true, true, false, false, true, false, false, true, true, false];

export interface UsedId {
  readonly id: string;
  /** Sends the request that is looked at; a rate limit is waited out where `repeat` holds. */
  readonly send: (repeat: boolean) => Promise<Exchange>;
  /** Sends another request of the same key once, under the id. */
  readonly ask: (id: string) => Promise<Exchange>;
}

/**
 * The answer to a request under a used id. A rate limit of the key is waited out, as elsewhere; one that meets the used id
 * alone, while requests under new ids are served all around, is the answer.
 */
export async function underUsedId({ id, send, ask }: UsedId): Promise<Exchange> {
  const first = await send(false);
  if (first.response !== undefined && !isRateLimited(first)) return first;
  if (isRateLimited(first) && (await isRefusedAlone(id, ask))) return first;
  return send(true);
}

/** Whether every request under the used id is refused and every other one is served. */
async function isRefusedAlone(id: string, ask: UsedId['ask']): Promise<boolean> {
  for (const isUsed of BEARS_USED) {
    const exchange = await ask(isUsed ? id : randomUUID());
    if (isUsed ? !isRateLimited(exchange) : !isSuccess(exchange)) return false;
  }
  return true;
}
