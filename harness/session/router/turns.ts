/** Locks that hold across the processes of one run, through the scripted backend that all of them use. */

import type { BackendControl } from '../../backend/control.ts';
import { type Claim, type Grant, Locks } from '../../suite/locks.ts';

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
  override async take(claim: Claim): Promise<Grant> {
    const own = await super.take(claim);
    let leave = await this.#turn(claim.alone, own.release);
    return {
      release: () => {
        leave();
        own.release();
      },
      quietly: async (waiting) => {
        leave();
        try {
          return await own.quietly(waiting);
        } finally {
          leave = await this.#turn(false, () => {});
        }
      },
    };
  }

  async #turn(alone: boolean, giveUp: () => void): Promise<() => void> {
    try {
      return await this.#backend.turn(alone, this.#signal);
    } catch (error) {
      giveUp();
      throw error;
    }
  }
}
