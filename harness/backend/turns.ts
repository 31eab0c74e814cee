/**
 * Turns at a deployment that several suites drive at once: any number beside one another, or one alone. First come,
 * first served.
 */

/** Gives the turn back; a second time does nothing. */
export type Leave = () => void;

interface Waiting {
  readonly alone: boolean;
  readonly go: (leave: Leave) => void;
}

export class Turns {
  #queue: Waiting[] = [];
  #under = 0;
  #alone = false;

  /** Waits for a turn. Rejects with the signal's reason when that comes first. */
  async take(alone: boolean, signal?: AbortSignal): Promise<Leave> {
    signal?.throwIfAborted();
    return new Promise((go, fail) => {
      const waiting: Waiting = {
        alone,
        go: (leave) => {
          signal?.removeEventListener('abort', stop);
          go(leave);
        },
      };
      const stop = (): void => {
        this.#queue = this.#queue.filter((other) => other !== waiting);
        fail(signal?.reason instanceof Error ? signal.reason : new Error('nobody waits any more'));
        this.#admit();
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#queue.push(waiting);
      this.#admit();
    });
  }

  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (this.#alone || (next.alone && this.#under > 0)) return;
      this.#queue.shift();
      this.#under += 1;
      this.#alone = next.alone;
      let left = false;
      next.go(() => {
        if (left) return;
        left = true;
        this.#under -= 1;
        this.#alone = false;
        this.#admit();
      });
    }
  }
}
