/** What costs everybody and serves several cases: done by the first that asks, the same for all that follow. */

import type { RouterContext } from './session.ts';

export class SharedWork<T> {
  readonly #work: (t: RouterContext) => Promise<T>;
  readonly #done = new WeakMap<RouterContext['target'], Promise<T>>();

  constructor(work: (t: RouterContext) => Promise<T>) {
    this.#work = work;
  }

  /** The result for the target of this session. Work that failed is done again by the next that asks. */
  async of(t: RouterContext): Promise<T> {
    const before = this.#done.get(t.target);
    if (before !== undefined) return before;
    const work = this.#work(t);
    this.#done.set(t.target, work);
    try {
      return await work;
    } catch (error) {
      this.#done.delete(t.target);
      throw error;
    }
  }
}
