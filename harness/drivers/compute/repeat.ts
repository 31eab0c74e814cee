/** When a request to a compute target is sent again: rate limits are waited out, trouble on safe requests and a lone 500 are tried again. */

import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { operationOf } from '../../checks/compute/operation.ts';
import { type RepeatPolicy, transportWaits } from '../../exchange/client.ts';
import { type Exchange, headerValue, trouble } from '../../exchange/exchange.ts';

/** The longest that one answer may make us wait, in seconds. */
const LONGEST_WAIT_S = 60;

const passing = new Set([500, 502, 503, 504]);

/**
 * Reads alone are repeated after trouble; a change may have happened although its answer was lost. A 500 is an answer:
 * any call may meet a failure of the service that passes, and clients send it again (compute#errors/500). So one 500
 * says nothing yet of what is asked, and a second one does. That is for the operations of the contract, of which none
 * makes anything: what provisions an instance may have made it, and would make another.
 */
export function computeRepeat(bindings: ComputeBindings): RepeatPolicy {
  return (exchange, attempt) => repeatOf(exchange, attempt, bindings);
}

function repeatOf(
  exchange: Exchange,
  attempt: number,
  bindings: ComputeBindings,
): ReturnType<RepeatPolicy> {
  if (exchange.ending === 'aborted') return undefined;
  const status = exchange.response?.status;
  if (exchange.ending === 'complete' && status === 429) return afterRateLimit(exchange, attempt);
  const troubled = exchange.ending !== 'complete';
  const unwell = status !== undefined && passing.has(status);
  if (!troubled && !unwell) return undefined;
  const soonMs = transportWaits.connection.pausesMs[attempt];
  if (exchange.request.method === 'GET' && soonMs !== undefined) return { afterMs: soonMs };
  if (troubled) return { giveUp: trouble(exchange) };
  const mayPass = status === 500 && operationOf(exchange, bindings) !== undefined;
  const afterMs = transportWaits.serverError.pausesMs[attempt];
  return mayPass && afterMs !== undefined ? { afterMs } : undefined;
}

function afterRateLimit(exchange: Exchange, attempt: number): ReturnType<RepeatPolicy> {
  const value = headerValue(exchange.response?.headers ?? [], 'retry-after') ?? '';
  // A value that is no number of seconds is judged elsewhere; here it means: wait a little.
  const seconds = /^\d+$/u.test(value) ? Number(value) : 1;
  if (seconds > LONGEST_WAIT_S) {
    return { giveUp: `the target asked to wait ${seconds} s before the next request` };
  }
  if (attempt >= transportWaits.rateLimit.pausesMs.length) {
    return { giveUp: `the target still answered 429 after ${attempt + 1} attempts` };
  }
  // Many requests wait at once: spread them, or they meet the limit again together.
  return { afterMs: seconds * 1_000 + Math.random() * 250 * (attempt + 1) };
}
