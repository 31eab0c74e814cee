/** When the client repeats a request by itself, and when it gives up: one request, or a target that has fallen silent. */

import { pause } from './budget.ts';
import type { Exchange } from './exchange.ts';

/** Decides whether to repeat a request and after how long, or why to give up. `attempt` counts earlier ones with its status. */
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

/** A target counts as silent after this many unanswered requests in a row. */
const SILENT_AFTER = 20;
/** Milliseconds during which requests to a silent target are only delayed: a restart takes a while. */
const GRACE_MS = 5_000;
/** Milliseconds between the requests that probe a silent target. */
const TRY_AGAIN_MS = 1_000;

export interface Silence {
  readonly reason: string;
  readonly last: Exchange;
}

/** Delays requests to a silent target, then fails them at once, except for occasional probes. */
export class CircuitBreaker {
  #unanswered = 0;
  #last: Exchange | undefined;
  #silentSince = 0;
  #nextTry = 0;

  /** Records the result of a request. Any response head shows that the target is alive. */
  note(exchange: Exchange): void {
    if (exchange.response !== undefined) {
      this.#unanswered = 0;
      return;
    }
    // The suite closed the connection, so the target may still be alive.
    if (exchange.ending === 'aborted') return;
    this.#unanswered += 1;
    this.#last = exchange;
    if (this.#unanswered === SILENT_AFTER) this.#silentSince = performance.now();
  }

  /** Waits during the grace period. Returns why a request must not be sent, or undefined when it may. */
  async admit(...signals: readonly (AbortSignal | undefined)[]): Promise<Silence | undefined> {
    const last = this.#last;
    if (this.#unanswered < SILENT_AFTER || last === undefined) return undefined;
    if (performance.now() - this.#silentSince < GRACE_MS) {
      await pause(TRY_AGAIN_MS / 2, ...signals);
      return undefined;
    }
    const now = performance.now();
    if (now >= this.#nextTry) {
      this.#nextTry = now + TRY_AGAIN_MS;
      return undefined;
    }
    return {
      reason: `the target is silent: its last ${this.#unanswered} requests got no answer, the latest ended "${last.ending}"${last.cause === undefined ? '' : ` (${last.cause})`}`,
      last,
    };
  }
}
