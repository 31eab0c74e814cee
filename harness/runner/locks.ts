/** Named locks, so that tests that need something for themselves do not disturb one another. */

type Release = () => void;

interface Waiting {
  readonly shared: boolean;
  /** Shares with those of its kind that wait beside it and with whoever comes later, and with nobody that came before. */
  readonly anew: boolean;
  /** Lets everybody pass who comes later and is not patient. */
  readonly patient: boolean;
  readonly go: (release: Release) => void;
}

/** First come, first served; any number may share, one may have it alone. */
class Lock {
  readonly #queue: Waiting[] = [];
  #sharing = 0;
  #alone = false;

  /** The lock at once, undefined when it is taken or waited for. */
  tryTake(shared: boolean): Release | undefined {
    if (this.#queue.some(({ patient }) => !patient)) return undefined;
    if (this.#alone || (!shared && this.#sharing > 0)) return undefined;
    return this.#hold(shared);
  }

  async take(shared: boolean, { patient = false, anew = false } = {}): Promise<Release> {
    return new Promise((go) => {
      const firstPatient = this.#queue.findIndex((waiting) => waiting.patient);
      const place = patient || firstPatient < 0 ? this.#queue.length : firstPatient;
      this.#queue.splice(place, 0, { shared, anew, patient, go });
      this.#admit();
    });
  }

  #admit(): void {
    let beginsAnew = this.#sharing === 0;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (this.#alone || (!next.shared && this.#sharing > 0)) return;
      if (next.anew && !beginsAnew) return;
      beginsAnew &&= next.anew;
      this.#queue.shift();
      next.go(this.#hold(next.shared));
    }
  }

  #hold(shared: boolean): Release {
    if (shared) this.#sharing += 1;
    else this.#alone = true;
    return this.#releaseOnce(shared);
  }

  #releaseOnce(shared: boolean): Release {
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
export interface Claim {
  /** Names of fixtures that nobody else may use meanwhile. */
  readonly exclusive: readonly string[];
  /** True when nothing else may run against the target; cases that quietly wait for an answer may go on waiting. */
  readonly alone: boolean;
  /** True when not even an answer may be waited for: it comes when everything else that runs or is claimed has ended. */
  readonly last?: boolean;
  /** True when it begins once nobody is at work at the target any more, beside others that do so, too. */
  readonly whenQuiet?: boolean;
}

/** What a case was given. */
export interface Grant {
  /** Gives everything back. */
  readonly release: Release;
  /**
   * Lets cases run that must be alone, until `waiting` has ended: for one that only waits for what it sent before.
   * What the case has exclusively stays its own, and afterwards it goes on beside others. Throws when it waits already.
   */
  readonly quietly: <T>(waiting: () => Promise<T>) => Promise<T>;
}

const WHOLE_TARGET = '';
const ANSWERS_WAITED_FOR = '\0';

/** The locks of one target. */
export class Locks {
  readonly #locks = new Map<string, Lock>();
  /** Waits for everything claimed, in one global order so that two claims cannot wait for each other. */
  async take(claim: Claim): Promise<Grant> {
    const releases: Release[] = [];
    // First: whoever comes last of all waits for those, too, who still wait for a fixture.
    const waitedFor = this.#named(ANSWERS_WAITED_FOR);
    releases.push(
      claim.last === true
        ? await waitedFor.take(false, { patient: true })
        : (waitedFor.tryTake(true) ?? (await waitedFor.take(true))),
    );
    // What is free is taken without a pause, so that of claims made together the first has everything first.
    for (const name of [...new Set(claim.exclusive)].toSorted()) {
      const lock = this.#named(name);
      releases.push(lock.tryTake(false) ?? (await lock.take(false)));
    }
    // Last, so that a case that waits for a fixture does not hold up one that wants the target alone.
    const target = this.#named(WHOLE_TARGET);
    let leaveTarget =
      claim.whenQuiet === true
        ? await target.take(true, { anew: true })
        : (target.tryTake(!claim.alone) ?? (await target.take(!claim.alone)));
    let isQuiet = false;
    return {
      release: () => {
        leaveTarget();
        for (const release of releases.toReversed()) release();
      },
      quietly: async (waiting) => {
        // What was taken back twice would be given back once, and whoever wants to be alone would wait for ever.
        if (isQuiet)
          throw new Error('a case waits quietly once at a time: wait for all of it at once');
        isQuiet = true;
        leaveTarget();
        try {
          return await waiting();
        } finally {
          leaveTarget = await target.take(true);
          isQuiet = false;
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
