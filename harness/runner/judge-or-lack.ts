/** For what a case may or may not get to see: a passing state, a service that happens to answer so. */

import type { Judgement } from '../checks/judgement.ts';
import type { TestContext } from './case.ts';

/** Judges what was seen; says what would have had to be there when nothing was. */
export function judgeOrLack<Id extends string>(
  witness: Pick<TestContext<Id>, 'judge' | 'notExercised'>,
  id: Id,
  judgement: Judgement,
  reason: string,
  line?: string,
): void {
  if (judgement.seen === 0) witness.notExercised(id, reason, line);
  else witness.judge(id, judgement);
}
