/** Starts the compute reference with a fault. */

import { computeFaults } from '../../harness/reference/compute/faults/index.ts';
import { type ComputeReference, startCompute } from '../../harness/reference/compute/start.ts';

/** The fault with this name, or the first that violates the requirement with this id. */
export function faultOf(named: string): (typeof computeFaults)[number] {
  const fault =
    computeFaults.find(({ name }) => name === named) ??
    computeFaults.find(({ aims, besides }) => [aims, ...besides].includes(named));
  if (fault === undefined) throw new Error(`there is no fault ${named}`);
  return fault;
}

/** Starts the reference with that fault. */
export async function startBroken(named: string): Promise<ComputeReference> {
  return startCompute({ patch: faultOf(named).patch });
}
