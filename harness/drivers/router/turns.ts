/** Locks that hold across the processes of one run, through the scripted backend that all of them use. */

import type { BackendControl, TurnAt } from '../../backend/control.ts';
import { type LockRequest, type Lease, Locks } from '../../runner/locks.ts';

/**
 * The locks of one process, and a turn at the deployment among all: a case that must be alone waits for those of
 * the other processes, too. Fixtures need no more than the own lock, since cases that share one are in one shard.
 */
export class TurnLocks extends Locks {
  readonly #backend: Pick<BackendControl, 'turn'>;
  readonly #signal: AbortSignal;

  constructor(backend: Pick<BackendControl, 'turn'>, signal: AbortSignal) {
    super();
    this.#backend = backend;
    this.#signal = signal;
  }

  /** The own locks first, always: two processes cannot wait for each other then. */
  override async take(claim: LockRequest): Promise<Lease> {
    const own = await super.take(claim);
    let leave = await this.#turn(claim.wholeTarget, own.release);
    // The last case waits for the answers that others still wait for. They give this turn back before they ask for
    // another, and none begins to wait while a case has the whole target.
    const leaveAnswers =
      claim.last === true ? await this.#turn(true, own.release, 'answers') : () => {};
    return {
      release: () => {
        leaveAnswers();
        leave();
        own.release();
      },
      yieldTarget: async (waiting) => {
        const answered = await this.#turn(false, () => {}, 'answers');
        leave();
        try {
          return await own.yieldTarget(async () => waiting().finally(answered));
        } finally {
          answered();
          leave = await this.#turn(false, () => {});
        }
      },
    };
  }

  async #turn(alone: boolean, giveUp: () => void, at?: TurnAt): Promise<() => void> {
    try {
      return await this.#backend.turn(alone, this.#signal, at);
    } catch (error) {
      giveUp();
      throw error;
    }
  }
}
