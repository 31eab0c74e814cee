/** What became of a stop, start or terminate, as far as the state of the instance can depend on it. */

import { isTelling } from '../checks/compute/answers.ts';
import { isSuccess } from '../checks/compute/records.ts';
import type { Exchange } from '../exchange/exchange.ts';

/**
 * - `accepted`: a 2xx.
 * - `conflict`: 409.
 * - `forbidden`: 403.
 * - `refused`: another 4xx.
 * - `failed`: 500; whether anything happened is not known.
 * - `lost`: no answer, a proxy's error, a rate limit; whether anything happened is not known.
 */
export type Outcome = 'accepted' | 'conflict' | 'forbidden' | 'refused' | 'failed' | 'lost';

/** Reads the outcome off an answer. */
export function outcomeOf(exchange: Exchange): Outcome {
  if (!isTelling(exchange)) return 'lost';
  if (isSuccess(exchange)) return 'accepted';
  const status = exchange.response?.status ?? 0;
  if (status === 409) return 'conflict';
  if (status === 403) return 'forbidden';
  return status >= 500 ? 'failed' : 'refused';
}

/** Whether a call that was answered so may have changed something. */
export function mayHaveEffect(outcome: Outcome): boolean {
  return outcome === 'accepted' || outcome === 'failed' || outcome === 'lost';
}
