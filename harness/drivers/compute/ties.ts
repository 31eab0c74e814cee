/** Instances that were created at one instant: newest first leaves open how they stand to one another. */

import { inversions } from '../../checks/compute/inversions.ts';
import type { ComputeApi } from './api.ts';
import { createdApart } from './dating.ts';

/** Pairs that changed places and are dated: each takes some forty windows. */
const DATED_PAIRS = 3;

/**
 * Whether two walks give the same instances in another order, and no two that changed places can be told apart by
 * a date. False for walks in the same order, and for those that differ by more.
 */
export async function differsByTies(
  api: ComputeApi,
  expected: readonly string[],
  actual: readonly string[],
): Promise<boolean> {
  const pairs = inversions(expected, actual, DATED_PAIRS) ?? [];
  for (const { first, second } of pairs) {
    if (await createdApart(api, first, second)) return false;
  }
  return pairs.length > 0;
}
