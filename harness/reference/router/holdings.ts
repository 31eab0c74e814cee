/** The resources that a request holds or waits for: semaphore permits, slots, its deadline. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending, Holding, RequestContext } from './model.ts';
import type { RouterRules } from './rules/rules.ts';

const LOOK_EVERY_MS = 10;

/** Polls until the condition holds. @throws the reason of an abort */
export async function sleepUntil(condition: () => boolean, signal: AbortSignal): Promise<void> {
  while (!condition()) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

/** The end-to-end deadline of one request. */
export interface DeadlineClock {
  /** Removes the deadline, for a stream that has begun. */
  readonly stop: () => void;
  readonly restart: () => void;
}

/** Applies the decision of a rule to the deadline. */
export function moveDeadline(
  clock: DeadlineClock,
  decided: 'runs-on' | 'restarts' | 'stops',
): void {
  if (decided === 'restarts') clock.restart();
  if (decided === 'stops') clock.stop();
}

interface Held {
  readonly holding: Holding;
  readonly free: () => void;
}

export class Holdings {
  readonly #rules: RouterRules;
  readonly #context: RequestContext;
  #held: Held[] = [];

  constructor(rules: RouterRules, context: RequestContext) {
    this.#rules = rules;
    this.#context = context;
  }

  /** Registers a resource. Returns a function that releases it, once. */
  add(holding: Holding, free: () => void): (ending: Ending) => void {
    const held: Held = { holding, free };
    this.#held.push(held);
    return (ending) => {
      if (!this.#held.includes(held)) return;
      this.#held = this.#held.filter((other) => other !== held);
      this.#rules.release(holding, ending, free, this.#context);
    };
  }

  /** Releases all resources that are still held, except those of one kind. */
  releaseAll(ending: Ending, kept?: Holding): void {
    const held = this.#held.filter(({ holding }) => holding !== kept);
    this.#held = this.#held.filter(({ holding }) => holding === kept);
    for (const { holding, free } of held) this.#rules.release(holding, ending, free, this.#context);
  }
}

interface QueuedRequest {
  readonly weight: number;
  readonly admit: () => void;
}

export class Gate {
  readonly #capacity: number;
  readonly #waiters: QueuedRequest[] = [];
  #used = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Takes `weight` in order of arrival, or returns false after `patienceMs`. @throws the reason of `signal` */
  async enter(weight: number, signal: AbortSignal, patienceMs = Infinity): Promise<boolean> {
    signal.throwIfAborted();
    if (this.#waiters.length === 0 && this.#used + weight <= this.#capacity) {
      this.#used += weight;
      return true;
    }
    return new Promise<boolean>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#withdraw(queued);
      };
      const queued: QueuedRequest = {
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
      this.#waiters.push(queued);
    });
  }

  leave(weight = 1): void {
    this.#used -= weight;
    this.#admitWaiters();
  }

  #withdraw(queued: QueuedRequest): void {
    const index = this.#waiters.indexOf(queued);
    if (index >= 0) this.#waiters.splice(index, 1);
    // A smaller request may have been waiting behind this one.
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

interface QueuedForSlot {
  readonly agents: readonly string[];
  readonly admit: (agent: string) => void;
}

export class Slots {
  readonly #capacity: ReadonlyMap<string, number>;
  readonly #used = new Map<string, number>();
  readonly #waiters: QueuedForSlot[] = [];

  constructor(capacity: ReadonlyMap<string, number>) {
    this.#capacity = capacity;
  }

  used(agent: string): number {
    return this.#used.get(agent) ?? 0;
  }

  /** Takes a slot of the least busy of these agents. Undefined if all are full. */
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
        this.#waiters.splice(this.#waiters.indexOf(queued), 1);
        reject(signal.reason);
      };
      const queued: QueuedForSlot = {
        agents,
        admit: (agent) => {
          signal.removeEventListener('abort', onAbort);
          resolve(agent);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.push(queued);
    });
  }

  /** Frees a slot, or hands it to the first request that waits for this agent. */
  leave(agent: string): void {
    const index = this.#waiters.findIndex(({ agents }) => agents.includes(agent));
    const [queued] = index < 0 ? [] : this.#waiters.splice(index, 1);
    if (queued !== undefined) queued.admit(agent);
    else this.#used.set(agent, this.used(agent) - 1);
  }
}
