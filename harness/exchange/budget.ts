/** The budget of a run for one target: total requests, minutes, concurrent requests and requests per second. */

import { setImmediate } from 'node:timers/promises';
import type { TargetBudget } from '../../schemas/target.ts';
import type { Exchange } from './exchange.ts';
import { Semaphore } from './semaphore.ts';

/** Options of a request that enters the budget. */
interface Entry {
  /** Any of them ends the wait. */
  readonly signals?: readonly AbortSignal[];
  /** Ignores the concurrency limit, for tests of concurrency with bounds of their own. */
  readonly unbounded?: boolean;
  /** Overtakes waiting requests, for example to exhaust a bucket that refills meanwhile. */
  readonly urgent?: boolean;
}

/** Thrown instead of sending a request that the budget does not cover; its requirements become inconclusive. */
export class BudgetSpent extends Error {
  override name = 'BudgetSpent';
  /** The request that was still waiting for its response when the time ran out, if any. */
  readonly waiting: Exchange | undefined;
  constructor(message: string, waiting?: Exchange) {
    super(message);
    this.waiting = waiting;
  }
}

/** The budget of all requests to one target. */
export class Budget {
  readonly #limits: TargetBudget;
  readonly #deadline: number;
  readonly #permits: Semaphore;
  readonly #pace: Pace;
  #sent = 0;
  #lastTrouble = '';
  #spentReason = '';

  /** Every request but an unbounded one takes one of the `permits` (default: as many as `limits.concurrency`). */
  constructor(limits: TargetBudget, permits = new Semaphore({ short: limits.concurrency })) {
    this.#limits = limits;
    this.#permits = permits;
    this.#deadline = performance.now() + limits.minutes * 60_000;
    this.#pace = new Pace(1_000 / limits.requestsPerSecond, () => this.leftMs === 0);
  }

  get sent(): number {
    return this.#sent;
  }

  get requestsLeft(): number {
    return Math.max(0, this.#limits.requests - this.#sent);
  }

  /** Milliseconds until the budget of minutes is spent; never negative. */
  get leftMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /** Waits for a permit and returns the function that releases it. Throws `BudgetSpent` when the budget is used up. */
  async enter({ signals = [], unbounded = false, urgent = false }: Entry = {}): Promise<
    () => void
  > {
    this.#requireLeft();
    const leave = unbounded ? nothing : await this.#permits.take({ ahead: urgent });
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

  /** Records the latest problem with the target, which may have spent the budget; `''` after a complete response. */
  noteProblem(sentence: string): void {
    this.#lastTrouble = sentence;
  }

  /** The error to throw when no time is left; `waiting` is the request that ran out of time. */
  minutesSpent(waiting?: Exchange): BudgetSpent {
    return this.#spent('minutes', waiting);
  }

  /** Every caller gets the same message. It starts with the target's problem, which would also spend a larger budget. */
  #spent(what: 'requests' | 'minutes', waiting?: Exchange): BudgetSpent {
    if (this.#spentReason === '') {
      const problem = this.#lastTrouble === '' ? '' : `${this.#lastTrouble}, and `;
      this.#spentReason = `${problem}the budget of ${this.#limits[what]} ${what} is spent; raise budget.${what} in the target file`;
    }
    return new BudgetSpent(this.#spentReason, waiting);
  }

  /** Resolves once every unbounded request made so far has been sent. */
  async allSent(): Promise<void> {
    // The caller has just made these requests; they queue within this turn of the event loop.
    await setImmediate();
    return this.#pace.turn(true, [], false);
  }
}

interface Turn {
  readonly go: () => void;
  /** False for a waiter that sends nothing and only waits until earlier requests have been sent. */
  readonly sends: boolean;
}

/**
 * Spaces requests out. Urgent and unbounded requests overtake all others: held or parked requests of a case must not
 * reach their deadline before the last of them has been sent.
 */
class Pace {
  /** Milliseconds from one request to the next; 0 for no pacing. */
  readonly #everyMs: number;
  readonly #isOver: () => boolean;
  readonly #first = new Set<Turn>();
  readonly #others = new Set<Turn>();
  #freeAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Once `isOver` returns true, no request is sent any more, and waiters do not wait for the pace. */
  constructor(everyMs: number, isOver: () => boolean) {
    this.#everyMs = everyMs;
    this.#isOver = isOver;
  }

  /** Waits for a turn. If a signal aborts, it throws the signal's reason. */
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

/** Waits `ms` milliseconds. If a signal aborts, it throws the signal's reason. */
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
