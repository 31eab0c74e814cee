/** How clients keep to the wait that a server asks for. It says something of the client, and nothing of the server. */

import { type Exchange, headerValue } from '../exchange/exchange.ts';

/** Milliseconds by which a clock or a timer may be ahead. */
const SLACK_MS = 50;

/** Seconds that an answer asks to wait before the next request; undefined when it asks for no whole number of them. */
export function toldToWait(exchange: Exchange): number | undefined {
  if ((exchange.response?.status ?? 0) < 400) return undefined;
  const value = headerValue(exchange.response?.headers ?? [], 'retry-after') ?? '';
  return /^\d{1,6}$/u.test(value) ? Number(value) : undefined;
}

/**
 * Whether the next request of a client waited as long as an answer had asked it to. Undefined when the answer asked
 * for no wait, and for a request that was on its way before the answer came.
 */
export function keptWait(limited: Exchange, next: Exchange): boolean | undefined {
  const seconds = toldToWait(limited);
  const told = limited.startedAt + limited.durationMs;
  if (seconds === undefined || next.startedAt <= told) return undefined;
  return next.startedAt + SLACK_MS >= told + seconds * 1_000;
}
