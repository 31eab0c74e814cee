/** How long a change of state is waited for: no time is documented, so patience comes from the budget. */

import type { ComputeTarget } from '../../../schemas/compute/target.ts';

const MINUTE_MS = 60_000;
const LONGEST_MINUTES = 5;
/** Part of the budget of minutes that one change may take. */
const SHARE = 1 / 4;

/** Milliseconds: a quarter of the budget of minutes, and five minutes at most. */
export function settlingTimeMs({ budget }: Pick<ComputeTarget, 'budget'>): number {
  return Math.min(LONGEST_MINUTES, budget.minutes * SHARE) * MINUTE_MS;
}
