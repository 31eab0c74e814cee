/** What is costly to bring about and serves several cases: done by the first that asks, the same for all that follow. */

import { NotExercised } from './signals.ts';

/** What the cases of one run against one target share. */
export interface OfSession {
  readonly session: object;
}

/** Fill once, wait once, judge many. */
export class Experiment<Context extends OfSession, T> {
  readonly #run: (t: Context) => Promise<T>;
  readonly #done = new WeakMap<object, Promise<T>>();

  constructor(run: (t: Context) => Promise<T>) {
    this.#run = run;
  }

  /**
   * What was seen in this session. One that failed is done again by the next that asks; one that the target does not offer
   * is the same for all.
   */
  async of(t: Context): Promise<T> {
    const before = this.#done.get(t.session);
    if (before !== undefined) return before;
    const seen = this.#run(t);
    this.#done.set(t.session, seen);
    try {
      return await seen;
    } catch (error) {
      if (!(error instanceof NotExercised)) this.#done.delete(t.session);
      throw error;
    }
  }
}
