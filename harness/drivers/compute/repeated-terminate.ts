/** A terminate that is repeated at once, while the first one destroys the instance. */

import { type Judgement, notObserved } from '../../checks/judgement.ts';
import { repeatedTermination } from '../../checks/compute/settling.ts';
import {
  earlyConflicts,
  noEarlyConflict,
  repeatedTerminate,
} from '../../checks/compute/termination.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { ComputeContext } from './context.ts';
import type { Life } from './life.ts';

/** Without waiting for a place among the requests of other cases: the state passes. */
const SOON = { unbounded: true };
/** How often a terminate is repeated while the instance is being destroyed, at most. */
const REPEATS = 12;

/** What repeated terminates of one instance came to. */
export interface Repeated {
  /** Answers that were those of an instance in TERMINATING; 0 where it was destroyed before a second terminate met it. */
  readonly seen: number;
  readonly statuses: readonly number[];
  /** Whether the instance settled in TERMINATED. */
  readonly settled: Judgement;
}

/**
 * Repeats a terminate that was accepted as `first` for as long as the instance is TERMINATING, judges each answer, and
 * follows the instance until it has settled. Throws `Inconclusive` when that takes too long
 * (compute#states/terminating-terminate).
 */
export async function repeatTerminate(
  t: Pick<ComputeContext, 'api' | 'judge'>,
  life: Life,
  first: Exchange,
): Promise<Repeated> {
  const statuses = new Set<number>();
  const conflicts: Exchange[] = [];
  let seen = 0;
  for (let n = 0; n < REPEATS; n += 1) {
    const again = await t.api.terminate(life.id, SOON);
    const after = await life.look(true);
    const judged = repeatedTerminate(again, after);
    seen += judged.seen;
    t.judge('compute.terminate-instance.terminating-answer', judged);
    if (again.response?.status === 409) conflicts.push(again);
    else {
      t.judge('compute.terminate-instance.terminating-no-conflict', noEarlyConflict(again, after));
    }
    statuses.add(again.response?.status ?? 0);
    if (after === undefined || after.status === 'TERMINATED') break;
  }
  let settled = notObserved;
  try {
    settled = await life.follow(repeatedTermination);
  } finally {
    // An instance that takes too long to settle tells of conflicts all the same.
    const early = earlyConflicts(first, conflicts, life.looks);
    t.judge('compute.terminate-instance.terminating-no-conflict', early);
    t.judge('compute.terminate-instance.terminating-answer', early);
    seen += early.seen;
  }
  return { seen, statuses: [...statuses], settled };
}
