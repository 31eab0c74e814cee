/** How much a run may ask of a target: requests, minutes, requests at once, requests a second. */

import { setImmediate } from 'node:timers/promises';
import type { Exchange } from './exchange.ts';
import { Semaphore } from './semaphore.ts';

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
  /** Goes before those that wait: for what fills in again while it is used up. */
  readonly urgent?: boolean;
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
  readonly #places: Semaphore;
  readonly #pace: Pace;
  #sent = 0;
  #lastTrouble = '';
  #spentReason = '';

  /** `places` are those that every request but an unbounded one takes; as many as the concurrency unless told. */
  constructor(
    limits: BudgetLimits,
    permits = new Semaphore({ short: limits.concurrency }),
    now = performance.now(),
  ) {
    this.#limits = limits;
    this.#places = permits;
    this.#deadline = now + limits.minutes * 60_000;
    this.#pace = new Pace(1_000 / limits.requestsPerSecond, () => this.leftMs === 0);
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
  async enter({ signals = [], unbounded = false, urgent = false }: Entry = {}): Promise<
    () => void
  > {
    this.#requireLeft();
    const leave = unbounded ? nothing : await this.#places.take({ ahead: urgent });
    try {
      await this.#pace.turn(unbounded || urgent, signals);
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
  noteProblem(sentence: string): void {
    this.#lastTrouble = sentence;
  }

  /** What to throw when there is no time left; `waiting` is a request that found out. */
  minutesSpent(waiting?: Exchange): BudgetSpent {
    return this.#spent('minutes', waiting);
  }

  /** The same words for all. What the target does leads them: a larger budget would be spent by it, too. */
  #spent(what: 'requests' | 'minutes', waiting?: Exchange): BudgetSpent {
    if (this.#spentReason === '') {
      const problem = this.#lastTrouble === '' ? '' : `${this.#lastTrouble}, and `;
      this.#spentReason = `${problem}the budget of ${this.#limits[what]} ${what} is spent; raise budget.${what} in the target file`;
    }
    return new BudgetSpent(this.#spentReason, waiting);
  }

  /** Resolves once all requests have left that leave the concurrency limit out and were made by now. */
  async allSent(): Promise<void> {
    // The caller has just made them: they come to their turn in this turn of the loop.
    await setImmediate();
    return this.#pace.turn(true, [], false);
  }
}

/** Ends the wait of one for its turn. */
interface Turn {
  readonly go: () => void;
  /** False for one that only waits until those before it have left. */
  readonly sends: boolean;
}

/**
 * Spaces requests out. Those that are urgent, or to be under way together, go before all others: what a case holds, or what
 * parks, must not come to its deadline before the last of it has left.
 */
class Pace {
  /** Milliseconds from one request to the next; 0 for no pace. */
  readonly #everyMs: number;
  readonly #isOver: () => boolean;
  readonly #first = new Set<Turn>();
  readonly #others = new Set<Turn>();
  #freeAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Once it `isOver`, nothing is sent any more, and nobody waits to hear so. */
  constructor(everyMs: number, isOver: () => boolean) {
    this.#everyMs = everyMs;
    this.#isOver = isOver;
  }

  /** Waits for a turn, or until one of the signals, which then throws its reason. */
  async turn(isFirst: boolean, signals: readonly AbortSignal[] = [], sends = true): Promise<void> {
    for (const signal of signals) signal.throwIfAborted();
    if (this.#everyMs === 0) return;
    const end = AbortSignal.any([...signals]);
    const queue = isFirst ? this.#first : this.#others;
    await new Promise<void>((come, fail) => {
      const turn = { sends, go };
      function go(): void {
        end.removeEventListener('abort', go);
        queue.delete(turn);
        if (end.aborted) fail(end.reason);
        else come();
      }
      end.addEventListener('abort', go, { once: true });
      queue.add(turn);
      this.#serve();
    });
  }

  #serve(): void {
    if (this.#timer !== undefined) return;
    const [next] = this.#first.size > 0 ? this.#first : this.#others;
    if (next === undefined) return;
    const waitMs = next.sends && !this.#isOver() ? this.#freeAt - performance.now() : 0;
    if (waitMs > 0) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#serve();
      }, waitMs);
      return;
    }
    if (next.sends) this.#freeAt = performance.now() + this.#everyMs;
    next.go();
    this.#serve();
  }
}

function nothing(): void {}

/** Waits `ms` milliseconds, or until one of the signals, which then throws its reason. */
export async function pause(
  ms: number,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<void> {
  const end = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  end.throwIfAborted();
  if (ms <= 0) return;
  await new Promise<void>((go) => {
    const settle = (): void => {
      clearTimeout(timer);
      end.removeEventListener('abort', settle);
      go();
    };
    const timer = setTimeout(settle, ms);
    end.addEventListener('abort', settle, { once: true });
  });
  end.throwIfAborted();
}
