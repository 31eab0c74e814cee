/** When a request to a router is sent again. Most of what a router answers is what a test wants to see. */

import type { RepeatPolicy } from '../../exchange/door.ts';
import { envelopeCode } from '../../exchange/envelope-code.ts';
import { trouble } from '../../exchange/trouble.ts';

const TROUBLED_ATTEMPTS = 3;
const RATE_LIMITED_ATTEMPTS = 8;

/** Keys that no test exhausts: a rate limit on them is in the way, and never what a test is about. */
const generalKeys = new Set(['client', 'second', 'unlimited', 'admin']);

export const routerRepeat: RepeatPolicy = (exchange, attempt) => {
  if (exchange.ending === 'unreachable') {
    return attempt + 1 < TROUBLED_ATTEMPTS
      ? { afterMs: 50 * 4 ** attempt }
      : { giveUp: trouble(exchange) };
  }
  const general = generalKeys.has(exchange.request.credential ?? '');
  if (general && envelopeCode(exchange) === 'rate_limit_exceeded') {
    return attempt + 1 < RATE_LIMITED_ATTEMPTS
      ? { afterMs: Math.min(250 * 2 ** attempt, 8_000) * (0.5 + Math.random() / 2) }
      : {
          giveUp: `the key "${exchange.request.credential}" stayed over its rate limit for ${attempt + 1} attempts`,
        };
  }
  const broken = exchange.ending !== 'complete' && exchange.ending !== 'aborted';
  if (broken && exchange.request.method === 'GET') {
    return attempt + 1 < TROUBLED_ATTEMPTS
      ? { afterMs: 50 * 4 ** attempt }
      : { giveUp: trouble(exchange) };
  }
  return undefined;
};
