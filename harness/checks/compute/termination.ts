/** Answers to a terminate that is repeated after one was accepted (compute#states/terminating-terminate). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, held, vacuous } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { isSuccess } from './records.ts';
import type { Shown } from './shown-state.ts';

/**
 * A repeated terminate is accepted or answered with 500 as long as the instance is TERMINATING, which a look after
 * it shows. When the look shows TERMINATED the instance may have come there before the call, and 409 is right too.
 */
export function repeatedTerminate(answer: Exchange, after: Shown | undefined): Judgement {
  if (!isTelling(answer) || after?.status === 'ERRORED') return vacuous;
  const status = answer.response?.status;
  const fits = isSuccess(answer) || status === 500;
  const settled = after === undefined || after.status === 'TERMINATED';
  if (settled && (fits || status === 409)) return vacuous;
  return expectThat(
    fits,
    'A repeated terminate of an instance that is being destroyed was neither accepted nor answered with 500.',
    {
      expected: settled ? 'a 2xx status, 500 or 409' : 'a 2xx status or 500',
      actual: answered(answer),
    },
    answer,
    ...(after === undefined ? [] : [after.exchange]),
  );
}

/** A terminate is no conflict while a look after it still shows another state than TERMINATED. */
export function noEarlyConflict(answer: Exchange, after: Shown | undefined): Judgement {
  if (!isTelling(answer)) return vacuous;
  if (answer.response?.status !== 409) return held();
  if (after === undefined || after.status === 'TERMINATED' || after.status === 'ERRORED') {
    return vacuous;
  }
  return expectThat(
    false,
    'A terminate was a conflict before the instance was TERMINATED.',
    { expected: 'no 409', actual: `409, and then ${after.status}` },
    answer,
    after.exchange,
  );
}
