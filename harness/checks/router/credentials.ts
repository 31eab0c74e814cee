/** Whether a credential was refused or let in (router#authentication). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, notObserved, pass, together, type Judgement } from '../judgement.ts';
import { codeOf } from './envelope.ts';
import { outcomeText } from './final-codes.ts';
import { remainingOf } from '../limits/quota.ts';
import { retryAfterOf } from './retry-after.ts';
import { type Refusals, sameRefusal } from './same-refusal.ts';

/** Held for a 401. */
export function refused(exchange: Exchange): Judgement {
  if (exchange.response === undefined) return notObserved;
  return expectThat(
    exchange.response.status === 401,
    'A credential that must be refused was not.',
    { expected: 401, actual: outcomeText(exchange) },
    exchange,
  );
}

/** Held for a 401 that looks like those of another refused credential on the same route. */
export function refusedAlike(exchange: Exchange, others: Refusals): Judgement {
  const { status, body, challenge } = sameRefusal(others, exchange);
  return together(refused(exchange), status, body, challenge);
}

/** Held when a key opens nothing with a role that it does not have. A server that fails shows nothing. */
export function opensNothing(exchange: Exchange): Judgement {
  const status = exchange.response?.status ?? 500;
  if (status >= 500) return notObserved;
  return expectThat(
    status >= 400,
    'A key opened a route for which it has not the role.',
    { expected: 'a refusal', actual: outcomeText(exchange) },
    exchange,
  );
}

/** Held where a key of another role is refused with 401. One that opened the route is another mistake. */
export function refusedForItsRole(exchange: Exchange): Judgement {
  const status = exchange.response?.status ?? 0;
  return status >= 400 && status < 500 ? refused(exchange) : notObserved;
}

/** Held for anything but a refusal of the credential itself: model_forbidden speaks of the model. */
export function letIn(exchange: Exchange): Judgement {
  return codeOf(exchange) === 'model_forbidden' ? pass() : permitted(exchange);
}

/** Held when a key may use the model that it asks for, whatever becomes of the request. */
export function permitted(exchange: Exchange): Judgement {
  if (exchange.response === undefined) return notObserved;
  const { status } = exchange.response;
  return expectThat(
    status !== 401 && status !== 403,
    'A valid key was refused.',
    { expected: 'neither 401 nor 403', actual: outcomeText(exchange) },
    exchange,
  );
}

/** Held when a key may use a model and finds it. */
export function mayUse(exchange: Exchange): Judgement {
  const judgement = permitted(exchange);
  if (judgement.seen === 0 || judgement.violations.length > 0) return judgement;
  return expectThat(
    codeOf(exchange) !== 'model_not_found',
    'A model that the allowlist of the key names was not found.',
    { expected: 'anything but 401, 403 and model_not_found', actual: outcomeText(exchange) },
    exchange,
  );
}

/**
 * True for what may be the refusal of a model for which the key declares no quota: an empty bucket says that nothing
 * remains, and a serverless policy when to come again.
 */
export function isUndeclared(exchange: Exchange): boolean {
  return (
    codeOf(exchange) === 'rate_limit_exceeded' &&
    remainingOf(exchange, 'requests') !== 0 &&
    retryAfterOf(exchange) === undefined
  );
}

/** Codes by which a model may be refused for the route, whichever is looked at first. */
const unfitForRoute = new Set(['request_invalid', 'no_agents_available']);

/**
 * Held for model_forbidden. The model may also be one that the route cannot use, or for which the key declares no quota,
 * and the order of refusals is open: those answers show nothing.
 */
export function forbidden(exchange: Exchange): Judgement {
  const code = codeOf(exchange);
  if (exchange.ending !== 'complete' || unfitForRoute.has(code) || isUndeclared(exchange)) {
    return notObserved;
  }
  return expectThat(
    exchange.response?.status === 403 && code === 'model_forbidden',
    'A model outside the allowlist of the key was not forbidden.',
    { expected: '403 model_forbidden', actual: outcomeText(exchange) },
    exchange,
  );
}
