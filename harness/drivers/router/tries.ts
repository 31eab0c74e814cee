/** How often a step tries, as far as the target file tells. */

import { NotExercised } from '../../runner/signals.ts';
import type { RouterContext } from './session.ts';

/** Throws `NotExercised` when a step of this deployment tries less often. */
export function requireTries(t: Pick<RouterContext, 'limits'>, least: number): void {
  const { maxTries = least } = t.limits;
  if (maxTries >= least) return;
  throw new NotExercised(
    `a step tries ${maxTries === 1 ? 'once' : `${maxTries} times`}, and this is about ${least} tries`,
    `limits: { maxTries: ${least} }`,
  );
}
