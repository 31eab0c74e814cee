/** When the client repeats a request by itself, and the trouble that ends that. */

import { pause } from './budget.ts';
import type { Exchange } from './exchange.ts';

/** Decides whether to repeat a request and after how long, or why to give up. */
export type RepeatPolicy = (
  exchange: Exchange,
  attempt: number,
) => { readonly afterMs: number } | { readonly giveUp: string } | undefined;

/** The network or a rate limit prevented a usable response; the requirements of the request become inconclusive. */
export class TransportError extends Error {
  override name = 'TransportError';
  readonly exchange: Exchange;
  constructor(message: string, exchange: Exchange) {
    super(message);
    this.exchange = exchange;
  }
}

/** The cases in which the client repeats a request by itself, with the pauses before each further attempt. */
export const transportWaits = {
  proxyAnswer: { awaits: 'an answer of the target, not of a proxy', pausesMs: [50, 200] },
  proxyLimit: { awaits: 'a proxy that limits its clients', pausesMs: [100, 500, 1_500, 5_000] },
  connection: {
    awaits: 'a connection, or an answer to a read that arrives whole and is no failure',
    pausesMs: [50, 200, 500],
  },
  serverError: { awaits: 'an answer after a 500 that may pass', pausesMs: [50] },
  rateLimit: {
    awaits: 'a key that is rate limited, as long as the answer says (default 1 s)',
    pausesMs: Array.from({ length: 11 }, () => 1_000),
  },
  requestBucket: {
    awaits: 'the request bucket of a key that no case uses up',
    pausesMs: [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000],
  },
} as const satisfies Readonly<
  Record<string, { readonly awaits: string; readonly pausesMs: readonly number[] }>
>;

/** Waits before the next attempt after what may be a proxy's response. Throws after the last one. */
export async function afterProxy(
  exchange: Exchange,
  wait: 'proxyAnswer' | 'proxyLimit',
  signal?: AbortSignal,
): Promise<void> {
  const afterMs = transportWaits[wait].pausesMs[exchange.retries];
  if (afterMs === undefined) throw fromProxy(exchange, ', each time that it was asked');
  await pause(afterMs, signal);
}

/** A sentence about a response, which says further how and when it came. */
export function answered({ request, response }: Exchange, further: string): string {
  return `${request.method} ${request.path} was answered ${response?.status}${further}`;
}

/** The trouble that what may be a proxy's response is; `when` says when it came. */
export function fromProxy(exchange: Exchange, when: string): TransportError {
  const mayLimit = [429, 503].includes(exchange.response?.status ?? 0);
  const hint = mayLimit ? '; if it limits its clients, see budget.requestsPerSecond' : '';
  const by = `by something in front of the target, as it seems${when}${hint}`;
  return new TransportError(answered(exchange, ` ${by}`), exchange);
}
