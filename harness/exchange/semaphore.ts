/** A first-come, first-served semaphore for requests and cases. */

type Release = () => void;

interface Waiting {
  readonly count: number;
  readonly go: (release: Release) => void;
}

/** Short requests take one place, a case may hold several. One place always remains, so that such a case can send one. */
export class Semaphore {
  readonly #short: ((release: Release) => void)[] = [];
  readonly #held: Waiting[] = [];
  readonly #mostShort: number;
  readonly #all: number;
  #shortTaken = 0;
  #heldTaken = 0;

  /** `short` bounds short requests, `all` bounds short and held places together; `Infinity` means no bound. */
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

  /** The most places that can be held at once; 0 when short requests need all of them. */
  get mostHeld(): number {
    return Math.max(0, this.#all - 1);
  }

  get heldNow(): number {
    return this.#heldTaken;
  }

  /** Waits for a place for a short request, with `ahead` before other waiters. Returns the function that releases it. */
  async take({ ahead = false } = {}): Promise<Release> {
    return new Promise((go) => {
      this.#short[ahead ? 'unshift' : 'push'](go);
      this.#admit();
    });
  }

  /** Waits for `count` places together, at most `mostHeld`: taking them one by one could deadlock two cases. */
  async hold(count: number): Promise<Release> {
    if (count > this.mostHeld) {
      throw new RangeError(`${count} places of ${this.mostHeld} cannot be held`);
    }
    return new Promise((go) => {
      this.#held.push({ count, go });
      this.#admit();
    });
  }

  /** Holds `count` places if they are free, otherwise returns undefined. */
  tryHold(count: number): Release | undefined {
    return this.#fits(count) ? this.#holdNow(count) : undefined;
  }

  #holdNow(count: number): Release {
    this.#heldTaken += count;
    return this.#releaseOnce(() => (this.#heldTaken -= count));
  }

  #admit(): void {
    for (;;) {
      // A waiter that does not fit now does not block one that needs fewer places.
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
   * The short requests allowed now: only one while a waiter for held places would fit beside it, since other cases may
   * need that one to release theirs. A waiter that would not fit even then does not restrict short requests.
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
