/** Places for requests and cases, first come, first served. */

/** A number of places; who finds none waits for one, in order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(permits: number) {
    this.#free = permits;
  }

  /** Resolves to what gives the place back. `ahead` is for one that keeps others waiting: it goes before the queue. */
  async take({ ahead = false } = {}): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else {
      await new Promise<void>((go) => {
        if (ahead) this.#waiting.unshift(go);
        else this.#waiting.push(go);
      });
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}

type Release = () => void;

/** A request that waits for places, and how many. */
interface Waiting {
  readonly count: number;
  readonly go: (release: Release) => void;
}

/**
 * Short requests come and go; held ones stay for as long as a case wants. Together they never take more than there is,
 * and one place is always left for a short one, so that whoever holds some can still ask something.
 */
export class SharedSemaphore {
  readonly #short: Waiting[] = [];
  readonly #held: Waiting[] = [];
  readonly #mostShort: number;
  readonly #all: number;
  #shortTaken = 0;
  #heldTaken = 0;

  /** `short` bounds short requests, `all` short and held ones together; `Infinity` for no bound. */
  constructor({
    short,
    all = Infinity,
  }: {
    readonly short: number;
    readonly all?: number | undefined;
  }) {
    this.#mostShort = short;
    this.#all = all;
  }

  /** How many may be held at once at most; 0 when everything is needed for short ones. */
  get mostHeld(): number {
    return Math.max(0, this.#all - 1);
  }

  /** How many are held now. */
  get heldNow(): number {
    return this.#heldTaken;
  }

  /** Waits for the place of a short request, `ahead` of those that wait. Returns the function that gives it back. */
  async take({ ahead = false } = {}): Promise<Release> {
    return new Promise((go) => {
      this.#short[ahead ? 'unshift' : 'push']({ count: 1, go });
      this.#admit();
    });
  }

  /** Waits for `count` places at once, at most `mostHeld`: who took them one by one could wait for another that does. */
  async hold(count: number): Promise<Release> {
    if (count > this.mostHeld) {
      throw new RangeError(`${count} places of ${this.mostHeld} cannot be held`);
    }
    const now = this.tryHold(count);
    if (now !== undefined) return now;
    return new Promise((go) => {
      this.#held.push({ count, go });
      this.#admit();
    });
  }

  /** `count` places when they are free, otherwise undefined. */
  tryHold(count: number): Release | undefined {
    if (!this.#fits(count)) return undefined;
    this.#heldTaken += count;
    return this.#releaseOnce(() => (this.#heldTaken -= count));
  }

  #admit(): void {
    for (;;) {
      // A request for more than there is now keeps none waiting that asks for less.
      const next = this.#held.findIndex(({ count }) => this.#fits(count));
      const [held] = next < 0 ? [] : this.#held.splice(next, 1);
      if (held !== undefined) {
        this.#heldTaken += held.count;
        held.go(this.#releaseOnce(() => (this.#heldTaken -= held.count)));
        continue;
      }
      const [short] = this.#short;
      if (short === undefined || this.#shortTaken >= this.#shortNow()) return;
      this.#short.shift();
      this.#shortTaken += 1;
      short.go(this.#releaseOnce(() => (this.#shortTaken -= 1)));
    }
  }

  #fits(count: number): boolean {
    return this.#heldTaken + count + Math.max(1, this.#shortTaken) <= this.#all;
  }

  /**
   * Short requests make way for held ones that would fit then, but for one: on it may depend that others are let go. Those
   * that would not fit all the same wait for others that are held.
   */
  #shortNow(): number {
    if (this.#held.some(({ count }) => this.#heldTaken + count + 1 <= this.#all)) return 1;
    return Math.min(this.#mostShort, Math.max(1, this.#all - this.#heldTaken));
  }

  #releaseOnce(giveBack: () => void): Release {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      giveBack();
      this.#admit();
    };
  }
}
