/**
 * A head start for targets whose wait alone is the longest of a run: what comes before that wait goes slowly beside the
 * work of other targets, and their work fits into the wait.
 */

import type { SuiteCase } from './case.ts';
import { phaseOf } from './run.ts';

/** Milliseconds that others wait at most: on a slow target it is their own waits that take long. */
const MAX_MS = 2_000;

/** The phase of cases that wait and are alone with their target. */
const ALONE_PHASE = phaseOf({ waits: true, alone: true });

/** Whether a target with these cases gets a head start. */
export function needsHeadStart(cases: readonly Parameters<typeof phaseOf>[0][]): boolean {
  return cases.some((one) => phaseOf(one) === ALONE_PHASE);
}

export class HeadStart {
  #end: () => void = () => undefined;
  #bound: NodeJS.Timeout | undefined;
  readonly #ended = new Promise<void>((end) => {
    this.#end = end;
  });

  /** Resolves when others may begin. */
  async ended(): Promise<void> {
    this.#bound ??= setTimeout(() => this.#end(), MAX_MS);
    return this.#ended;
  }

  /** The case of a target that has the head start, which ends as soon as one waits alone, or one that comes after it runs. */
  watched<Context>(one: SuiteCase<Context>): SuiteCase<Context> {
    if (phaseOf(one) < ALONE_PHASE) return one;
    return {
      ...one,
      run: async (context) => {
        clearTimeout(this.#bound);
        this.#end();
        return one.run(context);
      },
    };
  }
}
