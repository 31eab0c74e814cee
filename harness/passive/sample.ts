/** An even sample of a stream of numbers of unknown length. */

const KEPT = 200;

export class Sample {
  readonly #values: number[] = [];
  #stride = 1;
  #passed = 0;

  /** Takes one in so many, the more there were before; rounded to hundredths. */
  add(value: number): void {
    if (this.#passed % this.#stride === 0) {
      this.#values.push(Math.round(value * 100) / 100);
      if (this.#values.length >= 2 * KEPT) {
        // Every other one goes, and from here on half as many come.
        const half = this.#values.filter((_, at) => at % 2 === 0);
        this.#values.splice(0, this.#values.length, ...half);
        this.#stride *= 2;
      }
    }
    this.#passed += 1;
  }

  values(): readonly number[] {
    return this.#values;
  }
}
