/** A counted resource with an orderly queue: slots, budgets, processors and the pending channel. */

interface Waiter {
  readonly weight: number;
  readonly admit: () => void;
}

export class Gate {
  readonly #capacity: number;
  readonly #waiters: Waiter[] = [];
  #used = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Takes `weight` when it is free and nobody waits. */
  tryEnter(weight = 1): boolean {
    if (this.#waiters.length > 0 || this.#used + weight > this.#capacity) return false;
    this.#used += weight;
    return true;
  }

  /**
   * Takes `weight`, first come first served. False when it did not come free in `patienceMs`.
   * @throws the reason of `signal` once it is aborted
   */
  async enter(weight: number, signal: AbortSignal, patienceMs = Infinity): Promise<boolean> {
    signal.throwIfAborted();
    if (this.tryEnter(weight)) return true;
    return new Promise<boolean>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#withdraw(waiter);
      };
      const waiter: Waiter = {
        weight,
        admit: () => {
          settle();
          resolve(true);
        },
      };
      const onAbort = () => {
        settle();
        reject(signal.reason);
      };
      const timer =
        patienceMs === Infinity
          ? undefined
          : setTimeout(() => {
              settle();
              resolve(false);
            }, patienceMs);
      signal.addEventListener('abort', onAbort);
      this.#waiters.push(waiter);
    });
  }

  leave(weight = 1): void {
    this.#used -= weight;
    this.#admitWaiters();
  }

  #withdraw(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter);
    if (index >= 0) this.#waiters.splice(index, 1);
    // The one that gave up may have stood in front of smaller ones.
    if (index === 0) this.#admitWaiters();
  }

  #admitWaiters(): void {
    for (let first = this.#waiters[0]; first !== undefined; first = this.#waiters[0]) {
      if (this.#used + first.weight > this.#capacity) return;
      this.#used += first.weight;
      this.#waiters.shift();
      first.admit();
    }
  }
}
