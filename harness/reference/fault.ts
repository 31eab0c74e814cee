/** Deliberate violations: each breaks what it says it breaks, and nothing else. */

/**
 * One named violation of a contract. `R` is the set of rules of a reference deployment; the patch gets the
 * conforming rules and returns them with one or a few replaced. It is called once per started deployment, so
 * state that it keeps in its closure (a counter, a set of ids) belongs to that deployment alone.
 */
export interface Fault<R> {
  /** A readable slug, unique within its contract: `size-201-accepted`. */
  readonly name: string;
  /** What the broken server does, as one sentence in the present. */
  readonly summary: string;
  /** Ids of the requirements that a suite must find broken. */
  readonly breaks: readonly string[];
  /**
   * Requirements whose cases come by what is wrong, where those that are broken have no such cases: they are judged
   * on every answer. A proof looks there first.
   */
  readonly exercisedBy?: readonly string[];
  readonly patch: (rules: R) => R;
  /** The clock of the deployment, in milliseconds since the epoch, where it matters; made anew for every start. */
  readonly clock?: () => () => number;
  /** How many instances the primary account has, where the default number does not show what is wrong. */
  readonly instances?: number;
}

/** Declares faults with their rules inferred. */
export function declareFaults<R>(faults: readonly Fault<R>[]): readonly Fault<R>[] {
  return faults;
}
