/** How much a run may ask of a target: requests, minutes, requests at once, requests a second. */

import type { Exchange } from './exchange.ts';
import { SharedSemaphore } from './semaphore.ts';

export interface BudgetLimits {
  readonly requests: number;
  readonly minutes: number;
  readonly concurrency: number;
  /** `Infinity` for no pacing. */
  readonly requestsPerSecond: number;
}

/** How a request asks for its place. */
interface Entry {
  /** Any of them ends the wait. */
  readonly signals?: readonly AbortSignal[];
  /** Leaves the concurrency limit out: for tests of concurrency, which bound themselves. */
  readonly unbounded?: boolean;
}

/** Thrown instead of sending a request that the budget does not cover; what it was for is inconclusive. */
export class BudgetSpent extends Error {
  override name = 'BudgetSpent';
  /** The request that was still waiting for its answer when the time was over, if one was. */
  readonly waiting: Exchange | undefined;
  constructor(message: string, waiting?: Exchange) {
    super(message);
    this.waiting = waiting;
  }
}

/** One budget for everything that is sent to one target. */
export class Budget {
  readonly #limits: BudgetLimits;
  readonly #deadline: number;
  readonly #places: SharedSemaphore;
  #sent = 0;
  #lastTrouble = '';
  #spentReason = '';
  #nextSlot = 0;

  /** `places` are those that every request but an unbounded one takes; as many as the concurrency unless told. */
  constructor(
    limits: BudgetLimits,
    places = new SharedSemaphore({ short: limits.concurrency }),
    now = performance.now(),
  ) {
    this.#limits = limits;
    this.#places = places;
    this.#deadline = now + limits.minutes * 60_000;
  }

  /** Requests sent so far. */
  get sent(): number {
    return this.#sent;
  }

  /** Requests that may still be sent. */
  get requestsLeft(): number {
    return Math.max(0, this.#limits.requests - this.#sent);
  }

  /** Milliseconds until the budget of minutes is spent; never negative. */
  get leftMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /**
   * Waits for a place and returns the function that gives it back.
   * Throws `BudgetSpent` when requests or minutes are used up.
   */
  async enter({ signals = [], unbounded = false }: Entry = {}): Promise<() => void> {
    this.#requireLeft();
    const leave = unbounded ? nothing : await this.#places.take();
    try {
      await this.#pace(signals);
      this.#requireLeft();
    } catch (error) {
      leave();
      throw error;
    }
    this.#sent += 1;
    return leave;
  }

  #requireLeft(): void {
    if (this.#sent >= this.#limits.requests) throw this.#spent('requests');
    if (performance.now() > this.#deadline) throw this.minutesSpent();
  }

  /** Takes trouble with the target, in a sentence: the budget may be spent by it. `''` when an answer came whole. */
  noteTrouble(sentence: string): void {
    this.#lastTrouble = sentence;
  }

  /** What to throw when there is no time left; `waiting` is a request that found out. */
  minutesSpent(waiting?: Exchange): BudgetSpent {
    return this.#spent('minutes', waiting);
  }

  /** The same words for all. What the target does leads them: a larger budget would be spent by it, too. */
  #spent(what: 'requests' | 'minutes', waiting?: Exchange): BudgetSpent {
    if (this.#spentReason === '') {
      const trouble = this.#lastTrouble === '' ? '' : `${this.#lastTrouble}, and `;
      this.#spentReason = `${trouble}the budget of ${this.#limits[what]} ${what} is spent; raise budget.${what} in the target file`;
    }
    return new BudgetSpent(this.#spentReason, waiting);
  }

  async #pace(signals: readonly AbortSignal[]): Promise<void> {
    if (!Number.isFinite(this.#limits.requestsPerSecond)) return;
    const now = performance.now();
    const slot = Math.max(now, this.#nextSlot);
    this.#nextSlot = slot + 1_000 / this.#limits.requestsPerSecond;
    await pause(slot - now, ...signals);
  }
}

function nothing(): void {}

/** Waits `ms` milliseconds, or until one of the signals, which then throws its reason. */
export async function pause(
  ms: number,
  ...given: readonly (AbortSignal | undefined)[]
): Promise<void> {
  const signals = given.filter((signal) => signal !== undefined);
  for (const signal of signals) signal.throwIfAborted();
  if (ms <= 0) return;
  await new Promise<void>((go, fail) => {
    const settle = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', settle);
      const ended = signals.find((signal) => signal.aborted);
      if (ended === undefined) go();
      else fail(ended.reason instanceof Error ? ended.reason : new Error('the run was ended'));
    };
    const timer = setTimeout(settle, ms);
    for (const signal of signals) signal.addEventListener('abort', settle, { once: true });
  });
}
