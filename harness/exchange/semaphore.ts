/** A counting semaphore. */

/** A number of places; who finds none waits for one, in order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
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
