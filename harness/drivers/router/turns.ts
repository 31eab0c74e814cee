/** Locks that hold across the processes of one run, through the scripted backend that all of them use. */

import type { BackendControl, TurnAt } from '../../backend/control.ts';
import { type LockRequest, type Lease, Locks } from '../../runner/locks.ts';

/**
 * The locks of one process, and a turn at the deployment among all processes: a case that needs the target alone also
 * waits for those of other processes. Fixtures need only the own locks, since cases that share one are in one shard.
 */
export class TurnLocks extends Locks {
  readonly #backend: Pick<BackendControl, 'turn'>;
  readonly #signal: AbortSignal;

  constructor(backend: Pick<BackendControl, 'turn'>, signal: AbortSignal) {
    super();
    this.#backend = backend;
    this.#signal = signal;
  }

  /** Takes the own locks first, always, so that two processes cannot wait for each other. */
  override async take(claim: LockRequest): Promise<Lease> {
    const own = await super.take(claim);
    let leave = await this.#turn(claim.wholeTarget, own.release);
    // The last case waits for the answers that others still wait for. Those give this turn back before they take another
    // one, and none begins to wait while a case has the whole target.
    const leaveAnswers =
      claim.last === true ? await this.#turn(true, own.release, 'answers') : () => {};
    let isReleased = false;
    return {
      release: () => {
        isReleased = true;
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
          if (isReleased) leave();
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
