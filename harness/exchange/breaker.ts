/**
 * Whether a target still answers. After many requests in a row without a word from it, further ones are not sent
 * one by one into the void: for a while they are slowed down, then they fail at once, and now and then one is
 * let through to see whether it is back.
 */

import { pause } from './budget.ts';
import type { Exchange } from './exchange.ts';

/** Requests in a row without any answer after which a target counts as silent. */
const SILENT_AFTER = 20;
/** Milliseconds for which a silent target is waited for: a restart takes a while. */
const GRACE_MS = 5_000;
/** Milliseconds between requests that try whether it is back. */
const TRY_AGAIN_MS = 1_000;

export interface Silence {
  readonly reason: string;
  /** The last exchange that got no answer. */
  readonly last: Exchange;
}

export class CircuitBreaker {
  readonly #graceMs: number;
  readonly #tryAgainMs: number;
  #unanswered = 0;
  #last: Exchange | undefined;
  #silentSince = 0;
  #nextTry = 0;

  constructor(waits: { readonly graceMs?: number; readonly tryAgainMs?: number } = {}) {
    this.#graceMs = waits.graceMs ?? GRACE_MS;
    this.#tryAgainMs = waits.tryAgainMs ?? TRY_AGAIN_MS;
  }

  /** Takes what came of a request. Any head of an answer is a sign of life. */
  note(exchange: Exchange): void {
    if (exchange.response !== undefined) {
      this.#unanswered = 0;
      return;
    }
    // We hung up ourselves: that says nothing.
    if (exchange.ending === 'aborted') return;
    this.#unanswered += 1;
    this.#last = exchange;
    if (this.#unanswered === SILENT_AFTER) this.#silentSince = performance.now();
  }

  /** Waits a moment where that may help. Returns why a request is not to be sent; undefined when it is. */
  async admit(...signals: readonly (AbortSignal | undefined)[]): Promise<Silence | undefined> {
    const last = this.#last;
    if (this.#unanswered < SILENT_AFTER || last === undefined) return undefined;
    if (performance.now() - this.#silentSince < this.#graceMs) {
      await pause(this.#tryAgainMs / 2, ...signals);
      return undefined;
    }
    const now = performance.now();
    if (now >= this.#nextTry) {
      this.#nextTry = now + this.#tryAgainMs;
      return undefined;
    }
    return {
      reason: `the target is silent: its last ${this.#unanswered} requests got no answer, the latest ended "${last.ending}"${last.cause === undefined ? '' : ` (${last.cause})`}`,
      last,
    };
  }
}
