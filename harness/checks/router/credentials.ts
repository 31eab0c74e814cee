/** Whether a credential was refused or let in (router#authentication). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, together, notObserved, type Judgement } from '../judgement.ts';
import { codeOf } from './envelope.ts';
import { outcomeText } from './final-codes.ts';
import { sameRefusal } from './same-refusal.ts';

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

/** Held for a 401 that looks like that of another refused credential on the same route, which was refused `again`. */
export function refusedAlike(exchange: Exchange, other: Exchange, again?: Exchange): Judgement {
  const { status, body, challenge } = sameRefusal(other, exchange, again);
  return together(refused(exchange), status, body, challenge);
}

/** Held for anything but a refusal of the credential itself. */
export function letIn(exchange: Exchange): Judgement {
  if (exchange.response === undefined) return notObserved;
  const { status } = exchange.response;
  return expectThat(
    status !== 401 && status !== 403,
    'A valid key was refused.',
    { expected: 'neither 401 nor 403', actual: outcomeText(exchange) },
    exchange,
  );
}

/** Held when a key may use a model: whatever becomes of the request, it is neither forbidden nor unknown. */
export function mayUse(exchange: Exchange): Judgement {
  const permitted = letIn(exchange);
  if (permitted.seen === 0 || permitted.violations.length > 0) return permitted;
  return expectThat(
    codeOf(exchange) !== 'model_not_found',
    'A model that the allowlist of the key names was not found.',
    { expected: 'anything but 401, 403 and model_not_found', actual: outcomeText(exchange) },
    exchange,
  );
}

/** Codes by which a model may be refused for the route, whichever is looked at first. */
const unfitForRoute = new Set(['request_invalid', 'no_agents_available']);

/**
 * Held for model_forbidden. The model may also be one that the route cannot use, and the order of the two refusals is
 * open: those answers show nothing.
 */
export function forbidden(exchange: Exchange): Judgement {
  const code = codeOf(exchange);
  if (exchange.ending !== 'complete' || unfitForRoute.has(code)) return notObserved;
  return expectThat(
    exchange.response?.status === 403 && code === 'model_forbidden',
    'A model outside the allowlist of the key was not forbidden.',
    { expected: '403 model_forbidden', actual: outcomeText(exchange) },
    exchange,
  );
}
