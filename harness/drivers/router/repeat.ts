/** When a request to a router is sent again. Most of what a router answers is what a test wants to see. */

import { isUndeclared } from '../../checks/limits/bucket.ts';
import { isInternalFailure } from '../../checks/router/envelope.ts';
import { remainingOf } from '../../checks/limits/quota.ts';
import { isRateLimited } from '../../checks/limits/bucket.ts';
import { type RepeatPolicy, transportWaits } from '../../exchange/client.ts';
import { type Exchange, transportProblem } from '../../exchange/exchange.ts';
import { envelopeCode } from '../../exchange/body.ts';
import { markedScript } from './api.ts';

/** Of a refusal that tells neither that no request remains nor when to come again. */
const UNTOLD_ATTEMPTS = 2;

/** Keys that no test exhausts: a rate limit on them is in the way, and never what a test is about. */
const generalKeys = new Set(['client', 'second', 'unlimited', 'admin']);

export const routerRepeat: RepeatPolicy = (exchange, attempt) => {
  if (exchange.ending === 'unreachable') {
    const afterMs = transportWaits.connection.pausesMs[attempt];
    return afterMs === undefined ? { giveUp: transportProblem(exchange) } : { afterMs };
  }
  const general = generalKeys.has(exchange.request.credential ?? '');
  if (general && attempt + 1 >= UNTOLD_ATTEMPTS && isUndeclared(exchange)) {
    return {
      giveUp: `the key "${exchange.request.credential}" is over a limit that is not its request bucket: it must have no quotas per model`,
    };
  }
  if (general && envelopeCode(exchange) === 'rate_limit_exceeded') {
    return (
      backoff(attempt) ?? {
        giveUp: `the key "${exchange.request.credential}" stayed over its rate limit for ${attempt + 1} attempts`,
      }
    );
  }
  const later = isOutOfRequests(exchange) ? backoff(attempt) : undefined;
  if (later !== undefined) return later;
  // An internal failure may pass. What a script answers is counted at its engine, and asked for once.
  const mayPass = isInternalFailure(exchange) || isFailedRead(exchange);
  const pauseMs = transportWaits.serverError.pausesMs[attempt];
  if (mayPass && pauseMs !== undefined && markedScript(exchange.request.body) === undefined) {
    return { afterMs: pauseMs };
  }
  const broken = exchange.ending !== 'complete' && exchange.ending !== 'aborted';
  if (broken && exchange.request.method === 'GET') {
    const afterMs = transportWaits.connection.pausesMs[attempt];
    return afterMs === undefined ? { giveUp: transportProblem(exchange) } : { afterMs };
  }
  return undefined;
};

/** A read of any route that failed inside the router, in whatever form: those of administrators have another. */
function isFailedRead({ request, response }: Exchange): boolean {
  return request.method === 'GET' && response?.status === 500;
}

/** Keys that have a role of their own, in which no test is about how many requests they have. */
const otherKeys = /^(?:allowlisted|tokensPerDay\[\d+\])$/u;

/** True where the request bucket of such a key is empty: what stays so after all attempts is judged as it is. */
function isOutOfRequests(exchange: Exchange): boolean {
  return (
    otherKeys.test(exchange.request.credential ?? '') &&
    isRateLimited(exchange) &&
    remainingOf(exchange, 'requests') === 0
  );
}

/** Many requests wait at once: they are spread, or they meet the limit again together. */
function backoff(attempt: number): { readonly afterMs: number } | undefined {
  const ms = transportWaits.requestBucket.pausesMs[attempt];
  return ms === undefined ? undefined : { afterMs: ms * (0.5 + Math.random() / 2) };
}
