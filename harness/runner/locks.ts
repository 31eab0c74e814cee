/** Named locks, so that cases that need something to themselves do not disturb one another. */

type Release = () => void;

interface Waiting {
  readonly shared: boolean;
  /** Waits until nobody shares the lock. A batch is admitted together, and later requests may join it. */
  readonly asBatch: boolean;
  /** Lets every later request of ordinary priority go first. */
  readonly lowPriority: boolean;
  readonly go: (release: Release) => void;
}

/** A first-come, first-served lock, shared by any number of holders or held by one alone. */
class Lock {
  readonly #queue: Waiting[] = [];
  #sharing = 0;
  #alone = false;

  /** Takes the lock at once; undefined when it is taken or others wait for it. */
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

/** What a case needs to itself while it runs. */
export interface LockRequest {
  /** Names of fixtures that no other case may use meanwhile. */
  readonly exclusive: readonly string[];
  /** True when no other case may work at the target meanwhile; cases that yielded the target may go on waiting. */
  readonly wholeTarget: boolean;
  /** True for a case that starts after all others, running or requested, have ended, including those that yielded. */
  readonly last?: boolean;
  /** True for a case that begins once no case is at work at the target, together with others of its kind. */
  readonly whenIdle?: boolean;
}

/** What a case holds while it runs. */
export interface Lease {
  /** Gives everything back. */
  readonly release: Release;
  /**
   * Releases the target until `waiting` has ended, so that cases that need it alone can run. The case keeps its
   * exclusive fixtures, and shares the target afterwards. Throws when the case waits already.
   */
  readonly yieldTarget: <T>(waiting: () => Promise<T>) => Promise<T>;
}

const WHOLE_TARGET = '';
const ANSWERS_WAITED_FOR = '\0';

/** The locks of one target. */
export class Locks {
  readonly #locks = new Map<string, Lock>();
  /** Waits for all locks of the request in one global order, so that two requests cannot wait for each other. */
  async take(request: LockRequest): Promise<Lease> {
    const releases: Release[] = [];
    // Taken first, so that a `last` case also waits for cases that still wait for a fixture.
    const waitedFor = this.#named(ANSWERS_WAITED_FOR);
    releases.push(
      request.last === true
        ? await waitedFor.take(false, { lowPriority: true })
        : (waitedFor.tryTake(true) ?? (await waitedFor.take(true))),
    );
    // Free locks are taken synchronously, so that the first of simultaneous requests gets all its locks first.
    for (const name of [...new Set(request.exclusive)].toSorted()) {
      const lock = this.#named(name);
      releases.push(lock.tryTake(false) ?? (await lock.take(false)));
    }
    // Taken last, so that a case that waits for a fixture does not block one that needs the target alone.
    const target = this.#named(WHOLE_TARGET);
    let leaveTarget =
      request.whenIdle === true
        ? await target.take(true, { asBatch: true })
        : (target.tryTake(!request.wholeTarget) ?? (await target.take(!request.wholeTarget)));
    let isYielded = false;
    let isReleased = false;
    return {
      release: () => {
        isReleased = true;
        leaveTarget();
        for (const release of releases.toReversed()) release();
      },
      yieldTarget: async (waiting) => {
        // A second yield would take the target twice and release it once, and an exclusive case would wait forever.
        if (isYielded)
          throw new Error('a case yields the target once at a time: wait for all of it at once');
        isYielded = true;
        leaveTarget();
        try {
          return await waiting();
        } finally {
          leaveTarget = await target.take(true);
          // A case may fail while it waits: it needs the target no more.
          if (isReleased) leaveTarget();
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
