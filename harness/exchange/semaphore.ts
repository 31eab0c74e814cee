/** Places for requests and cases, first come, first served. */

type Release = () => void;

/** One that waits to hold places, and how many. */
interface Waiting {
  readonly count: number;
  readonly go: (release: Release) => void;
}

/**
 * Short requests come and go; held ones stay for as long as a case wants. Together they never take more than there is,
 * and one place is always left for a short one, so that a case that holds some can still send a request.
 */
export class Semaphore {
  readonly #short: ((release: Release) => void)[] = [];
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
      this.#short[ahead ? 'unshift' : 'push'](go);
      this.#admit();
    });
  }

  /** Waits for `count` places at once, at most `mostHeld`: two that take them one by one could wait for each other. */
  async hold(count: number): Promise<Release> {
    if (count > this.mostHeld) {
      throw new RangeError(`${count} places of ${this.mostHeld} cannot be held`);
    }
    return new Promise((go) => {
      this.#held.push({ count, go });
      this.#admit();
    });
  }

  /** `count` places when they are free, otherwise undefined. */
  tryHold(count: number): Release | undefined {
    return this.#fits(count) ? this.#holdNow(count) : undefined;
  }

  #holdNow(count: number): Release {
    this.#heldTaken += count;
    return this.#releaseOnce(() => (this.#heldTaken -= count));
  }

  #admit(): void {
    for (;;) {
      // A request for more than there is now keeps none waiting that asks for less.
      const held = this.#held.find(({ count }) => this.#fits(count));
      if (held !== undefined) {
        this.#held.splice(this.#held.indexOf(held), 1);
        held.go(this.#holdNow(held.count));
        continue;
      }
      const [short] = this.#short;
      if (short === undefined || this.#shortTaken >= this.#shortNow()) return;
      this.#short.shift();
      this.#shortTaken += 1;
      short(this.#releaseOnce(() => (this.#shortTaken -= 1)));
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
