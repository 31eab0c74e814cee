/** When a request to a router is repeated. Most responses of a router are what a case wants to see, so few are. */

import { isInternalFailure } from '../../checks/router/envelope.ts';
import { remainingOf } from '../../checks/limits/quota.ts';
import { isRateLimited, isUndeclared } from '../../checks/limits/bucket.ts';
import { type RepeatPolicy, transportWaits } from '../../exchange/repeating.ts';
import { type Exchange, transportProblem } from '../../exchange/exchange.ts';
import { envelopeCode } from '../../exchange/body.ts';
import { markedScript } from './api.ts';

/** Attempts after a refusal that says neither that no request remains nor when to come back. */
const UNTOLD_ATTEMPTS = 2;

/** Keys that no case exhausts, so that a rate limit on them is an obstacle and never the subject of a case. */
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
  // An internal failure may pass. A request with a script is sent only once, since its engine counts it.
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

/** A read that failed inside the router, on any route and in any form: admin routes have their own. */
function isFailedRead({ request, response }: Exchange): boolean {
  return request.method === 'GET' && response?.status === 500;
}

/** Keys with a role of their own; no case is about how many requests they have. */
const otherKeys = /^(?:allowlisted|tokensPerDay\[\d+\])$/u;

/** True when the request bucket of such a key is empty. If it still is after all attempts, the refusal is judged. */
function isOutOfRequests(exchange: Exchange): boolean {
  return (
    otherKeys.test(exchange.request.credential ?? '') &&
    isRateLimited(exchange) &&
    remainingOf(exchange, 'requests') === 0
  );
}

/** Backoff with jitter, so that requests that wait at the same time do not meet the limit together again. */
function backoff(attempt: number): { readonly afterMs: number } | undefined {
  const ms = transportWaits.requestBucket.pausesMs[attempt];
  return ms === undefined ? undefined : { afterMs: ms * (0.5 + Math.random() / 2) };
}
