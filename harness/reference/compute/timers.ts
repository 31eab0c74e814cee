/** What instances are about to do by themselves: at most one thing each. */

import type { Instance } from './model.ts';

export class Timers {
  readonly #pending = new Map<Instance, NodeJS.Timeout>();
  #closed = false;

  /** Acts later, or at once when `delayMs` is 0; replaces what was scheduled for that instance. */
  schedule(instance: Instance, delayMs: number, act: () => void): void {
    this.unschedule(instance);
    if (this.#closed) return;
    if (delayMs <= 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      this.#pending.delete(instance);
      act();
    }, delayMs);
    timer.unref();
    this.#pending.set(instance, timer);
  }

  unschedule(instance: Instance): void {
    clearTimeout(this.#pending.get(instance));
    this.#pending.delete(instance);
  }

  isScheduled(instance: Instance): boolean {
    return this.#pending.has(instance);
  }

  /** Nothing happens any more. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
  }
}
