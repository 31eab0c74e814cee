/** Answers to a terminate that is repeated after one was accepted (compute#states/terminating-terminate). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, held, vacuous, violated } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { codeOf } from './envelope.ts';
import { isSuccess } from './records.ts';
import type { Shown } from './shown-state.ts';

/**
 * A repeated terminate is accepted or answered with 500 as long as the instance is TERMINATING. Both answers are
 * right in that state alone, so they show it; 409 is wrong unless a look after it shows TERMINATED or nothing.
 */
export function repeatedTerminate(answer: Exchange, after: Shown | undefined): Judgement {
  // A proxy's 503 is trouble on the way; one with the service's own envelope is its word.
  if (!isTelling(answer) && codeOf(answer) === undefined) return vacuous;
  const status = answer.response?.status;
  if (status === 429) return vacuous;
  if (isSuccess(answer) || status === 500) return held();
  const mayBeSettled = after === undefined || after.status === 'TERMINATED';
  if (after?.status === 'ERRORED' || (mayBeSettled && status === 409)) return vacuous;
  return violated(
    'A repeated terminate of an instance that is being destroyed was neither accepted nor answered with 500.',
    {
      expected: mayBeSettled ? 'a 2xx status, 500 or 409' : 'a 2xx status or 500',
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
  return violated(
    'A terminate was a conflict before the instance was TERMINATED.',
    { expected: 'no 409', actual: `409, and then ${after.status}` },
    answer,
    after.exchange,
  );
}
