/** A circuit breaker: it delays requests to a silent target, then fails them at once, except for occasional probes. */

import { pause } from './budget.ts';
import type { Exchange } from './exchange.ts';

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
