/** Answers to a terminate that is repeated after one was accepted (compute#states/terminating-terminate). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, pass, notObserved, violated } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { codeOf } from './envelope.ts';
import type { Look } from './lifecycle-order.ts';
import { isSuccess } from './records.ts';
import { LAG_MS } from './settling.ts';
import type { Shown } from './shown-state.ts';

/**
 * A repeated terminate is accepted or answered with 500 as long as the instance is TERMINATING. Both answers are
 * right in that state alone, so they show it. A 409 may be that of an instance that has just settled: `earlyConflicts`
 * tells.
 */
export function repeatedTerminate(answer: Exchange, after: Shown | undefined): Judgement {
  // A proxy's 503 is trouble on the way; one with the service's own envelope is its word.
  if (!isTelling(answer) && codeOf(answer) === undefined) return notObserved;
  const status = answer.response?.status;
  if (status === 429 || status === 409) return notObserved;
  if (isSuccess(answer) || status === 500) return pass();
  if (after?.status === 'ERRORED') return notObserved;
  return violated(
    'A repeated terminate of an instance that is being destroyed was neither accepted nor answered with 500.',
    {
      expected:
        after === undefined || after.status === 'TERMINATED'
          ? 'a 2xx status, 500 or 409'
          : 'a 2xx status or 500',
      actual: answered(answer),
    },
    answer,
    ...(after === undefined ? [] : [after.exchange]),
  );
}

/** Milliseconds that looks may be behind where none was seen to be so. */
const HARDLY_BEHIND_MS = 250;
/** How much further behind looks may get than the freshest that the first of them is known to be. */
const LAG_MAY_GROW = 10;

/**
 * Repeated terminates that were a conflict although looks that began well after them still show TERMINATING. Looks may
 * be those of a copy that lags behind, and then show it for a while after the instance has settled: how fresh they are
 * shows in the first look after the terminate that was accepted.
 */
export function earlyConflicts(
  accepted: Exchange,
  conflicts: readonly Exchange[],
  looks: readonly Look[],
): Judgement {
  const [conflict] = conflicts;
  const since = looks.filter(({ exchange }) => exchange.startedAt >= endOf(accepted));
  const [first] = since;
  const still = since.findLast(({ state }) => state === 'TERMINATING');
  if (conflict === undefined || first === undefined || still === undefined) return notObserved;
  const isFresh = first.state === 'TERMINATING';
  const age = first.exchange.startedAt - endOf(accepted);
  const patience = isFresh ? Math.max(HARDLY_BEHIND_MS, LAG_MAY_GROW * age) : LAG_MS;
  if (still.exchange.startedAt - endOf(conflict) <= Math.min(patience, LAG_MS)) return notObserved;
  return violated(
    'A repeated terminate was a conflict long before the instance was TERMINATED.',
    { expected: 'a 2xx status or 500', actual: `${answered(conflict)}, and then TERMINATING` },
    conflict,
    still.exchange,
  );
}

function endOf({ startedAt, durationMs }: Exchange): number {
  return startedAt + durationMs;
}

/** A terminate is no conflict while a look after it still shows another state than TERMINATED. */
export function noEarlyConflict(answer: Exchange, after: Shown | undefined): Judgement {
  if (!isTelling(answer)) return notObserved;
  if (answer.response?.status !== 409) return pass();
  if (after === undefined || after.status === 'TERMINATED' || after.status === 'ERRORED') {
    return notObserved;
  }
  return violated(
    'A terminate was a conflict before the instance was TERMINATED.',
    { expected: 'no 409', actual: `409, and then ${after.status}` },
    answer,
    after.exchange,
  );
}
