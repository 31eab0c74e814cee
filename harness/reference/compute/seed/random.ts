/** Numbers that look random and are the same for the same seed (mulberry32). */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0, below `end`; an integer. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  /** From 0, below 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** One of a list. @throws for an empty one */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  /** A version 4 UUID. */
  uuid(): string {
    const word = (): string => this.below(0x1_0000_0000).toString(16).padStart(8, '0');
    const [a, b, c, d] = [word(), word(), word(), word()];
    const variant = '89ab'[this.below(4)] ?? '8';
    return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
  }
}
