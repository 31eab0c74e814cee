/** Request slots of agents, and who waits for one. */

interface Waiter {
  readonly agents: readonly string[];
  readonly admit: (agent: string) => void;
}

export class Slots {
  readonly #capacity: ReadonlyMap<string, number>;
  readonly #used = new Map<string, number>();
  readonly #waiters: Waiter[] = [];

  constructor(capacity: ReadonlyMap<string, number>) {
    this.#capacity = capacity;
  }

  used(agent: string): number {
    return this.#used.get(agent) ?? 0;
  }

  /** Takes a slot of the least busy of these agents; undefined when all are full. */
  take(agents: readonly string[]): string | undefined {
    const free = agents.filter((agent) => this.used(agent) < (this.#capacity.get(agent) ?? 0));
    const chosen = free.toSorted((one, other) => this.used(one) - this.used(other))[0];
    if (chosen !== undefined) this.#used.set(chosen, this.used(chosen) + 1);
    return chosen;
  }

  /** Waits for a slot of one of these agents. @throws the reason of `signal` */
  async wait(agents: readonly string[], signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        agents,
        admit: (agent) => {
          signal.removeEventListener('abort', onAbort);
          resolve(agent);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  /** Frees a slot; the first who waits for this agent gets it. */
  leave(agent: string): void {
    const index = this.#waiters.findIndex(({ agents }) => agents.includes(agent));
    const [waiter] = index < 0 ? [] : this.#waiters.splice(index, 1);
    if (waiter !== undefined) waiter.admit(agent);
    else this.#used.set(agent, this.used(agent) - 1);
  }
}
