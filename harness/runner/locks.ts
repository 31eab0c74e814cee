/** Named locks, so that tests that need something for themselves do not disturb one another. */

type Release = () => void;

interface Waiting {
  readonly shared: boolean;
  /** Shares with those of its batch and with later requests, and with none that came before. */
  readonly asBatch: boolean;
  /** Lets every later request of ordinary priority pass. */
  readonly lowPriority: boolean;
  readonly go: (release: Release) => void;
}

/** First come, first served; any number may share, one may have it alone. */
class Lock {
  readonly #queue: Waiting[] = [];
  #sharing = 0;
  #alone = false;

  /** The lock at once, undefined when it is taken or waited for. */
  tryTake(shared: boolean): Release | undefined {
    if (this.#queue.some(({ lowPriority }) => !lowPriority)) return undefined;
    if (this.#alone || (!shared && this.#sharing > 0)) return undefined;
    return this.#hold(shared);
  }

  async take(shared: boolean, { lowPriority = false, asBatch = false } = {}): Promise<Release> {
    return new Promise((go) => {
      const firstLowPriority = this.#queue.findIndex((waiting) => waiting.lowPriority);
      const index = lowPriority || firstLowPriority < 0 ? this.#queue.length : firstLowPriority;
      this.#queue.splice(index, 0, { shared, asBatch, lowPriority, go });
      this.#admit();
    });
  }

  #admit(): void {
    let beginsBatch = this.#sharing === 0;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (this.#alone || (!next.shared && this.#sharing > 0)) return;
      if (next.asBatch && !beginsBatch) return;
      beginsBatch &&= next.asBatch;
      this.#queue.shift();
      next.go(this.#hold(next.shared));
    }
  }

  #hold(shared: boolean): Release {
    if (shared) this.#sharing += 1;
    else this.#alone = true;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      if (shared) this.#sharing -= 1;
      else this.#alone = false;
      this.#admit();
    };
  }
}

/** What a case wants for itself while it runs. */
export interface LockRequest {
  /** Names of fixtures that nobody else may use meanwhile. */
  readonly exclusive: readonly string[];
  /** True when nothing else may run against the target; cases that yielded the target while they wait may go on waiting. */
  readonly wholeTarget: boolean;
  /** True when not even an answer may be waited for: it comes when everything else that runs or was asked for has ended. */
  readonly last?: boolean;
  /** True when it begins once nobody is at work at the target any more, beside others that do so, too. */
  readonly whenIdle?: boolean;
}

/** What a case was given. */
export interface Lease {
  /** Gives everything back. */
  readonly release: Release;
  /**
   * Lets cases run that must be alone, until `waiting` has ended: for one that only waits for what it sent before.
   * What the case has exclusively stays its own, and afterwards it goes on beside others. Throws when it waits already.
   */
  readonly yieldTarget: <T>(waiting: () => Promise<T>) => Promise<T>;
}

const WHOLE_TARGET = '';
const ANSWERS_WAITED_FOR = '\0';

/** The locks of one target. */
export class Locks {
  readonly #locks = new Map<string, Lock>();
  /** Waits for everything asked for, in one global order so that two requests cannot wait for each other. */
  async take(request: LockRequest): Promise<Lease> {
    const releases: Release[] = [];
    // First: a case that comes last of all waits for those, too, that still wait for a fixture.
    const waitedFor = this.#named(ANSWERS_WAITED_FOR);
    releases.push(
      request.last === true
        ? await waitedFor.take(false, { lowPriority: true })
        : (waitedFor.tryTake(true) ?? (await waitedFor.take(true))),
    );
    // What is free is taken without a pause, so that of requests made together the first has everything first.
    for (const name of [...new Set(request.exclusive)].toSorted()) {
      const lock = this.#named(name);
      releases.push(lock.tryTake(false) ?? (await lock.take(false)));
    }
    // Last, so that a case that waits for a fixture does not hold up one that wants the target alone.
    const target = this.#named(WHOLE_TARGET);
    let leaveTarget =
      request.whenIdle === true
        ? await target.take(true, { asBatch: true })
        : (target.tryTake(!request.wholeTarget) ?? (await target.take(!request.wholeTarget)));
    let isYielded = false;
    return {
      release: () => {
        leaveTarget();
        for (const release of releases.toReversed()) release();
      },
      yieldTarget: async (waiting) => {
        // What was taken back twice would be given back once, and a case that must be alone would wait for ever.
        if (isYielded)
          throw new Error('a case yields the target once at a time: wait for all of it at once');
        isYielded = true;
        leaveTarget();
        try {
          return await waiting();
        } finally {
          leaveTarget = await target.take(true);
          isYielded = false;
        }
      },
    };
  }

  #named(name: string): Lock {
    const lock = this.#locks.get(name) ?? new Lock();
    this.#locks.set(name, lock);
    return lock;
  }
}
