/** Request ids that were seen, each with the exchange that carried it. Keeps names and no bodies. */

import type { Exchange } from '../exchange/exchange.ts';

export class RequestIdLedger {
  readonly #carriers = new Map<string, string>();
  readonly #most: number;

  /** `most` is how many of the latest ids are remembered; all of them unless told. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** Ids that are remembered; with none, an id can only be fresh, and shows nothing. */
  get size(): number {
    return this.#carriers.size;
  }

  /** Notes the id of an exchange; gives the name of another exchange that carried it before. */
  note(requestId: string, exchange: Exchange): string | undefined {
    const carrier = this.#carriers.get(requestId);
    if (carrier !== undefined) return carrier === exchange.id ? undefined : carrier;
    this.#carriers.set(requestId, exchange.id);
    if (this.#carriers.size > this.#most) {
      const [oldest] = this.#carriers.keys();
      if (oldest !== undefined) this.#carriers.delete(oldest);
    }
    return undefined;
  }
}
