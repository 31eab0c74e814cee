/** Relations between answers of an account that others change at the same time. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved } from '../judgement.ts';

/** The same list, read before and after what is judged. */
export interface Bracket<T> {
  readonly before: readonly T[];
  readonly after: readonly T[];
}

/** A list of ids in the order in which it came, and the exchanges that brought it. */
export interface Seen {
  readonly ids: readonly string[];
  readonly exchanges: readonly Exchange[];
}

/** True when two sequences are the same, item by item. */
export function isSameSequence(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => Object.is(item, right[index]));
}

/**
 * Judges against the list before and, when that fails, against the list after. A violation counts only while
 * the list stood still: when before and after differ, something came or went, and nothing can be said.
 */
export function bracketed<T>(
  bracket: Bracket<T>,
  judge: (whole: readonly T[]) => Judgement,
): Judgement {
  const before = judge(bracket.before);
  if (before.violations.length === 0) return before;
  if (isSameSequence(bracket.before, bracket.after)) return before;
  const after = judge(bracket.after);
  return after.violations.length === 0 ? after : notObserved;
}
