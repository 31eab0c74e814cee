/** What the checks of every exchange remember of those before it. */

import type { Fold, UniversalJudgement } from '../checks/universal.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** More than accounts have as a rule: each page of a hostile list shows as many new instances as it holds. */
const MAX_ENTRIES = 20_000;

/** Keeps what checks learn: they are pure, and are given what is known. */
export class History<Subject, Id extends string = string> {
  readonly #folds: readonly (readonly [Fold<Subject, Id>, Map<string, unknown>])[];
  readonly #subjectOf: (exchange: Exchange) => Subject | undefined;
  readonly #most: number;

  /**
   * `subjectOf` reads what the checks are about; undefined for an exchange that shows nothing of it. `most` is how many of the
   * latest entries of each check are remembered (default 20,000).
   */
  constructor(
    folds: readonly Fold<Subject, Id>[],
    subjectOf: (exchange: Exchange) => Subject | undefined,
    most = MAX_ENTRIES,
  ) {
    this.#folds = folds.map((fold) => [fold, new Map()]);
    this.#subjectOf = subjectOf;
    this.#most = most;
  }

  /** Judges the next exchange, and remembers what it shows. Requirements of which that is nothing are left out. */
  judge(exchange: Exchange): readonly UniversalJudgement<Id>[] {
    const subject = this.#subjectOf(exchange);
    if (subject === undefined) return [];
    return this.#folds.flatMap(([{ requirement, judge }, known]) => {
      const { judgement, learned } = judge(subject, known);
      for (const [key, entry] of learned) {
        if (entry === undefined) known.delete(key);
        else known.set(key, entry);
      }
      for (const oldest of known.keys()) {
        if (known.size <= this.#most) break;
        known.delete(oldest);
      }
      return judgement.seen > 0 ? [{ requirement, judgement }] : [];
    });
  }
}
