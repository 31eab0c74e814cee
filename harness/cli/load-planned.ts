/** Reads a target file into what a run takes: the target, and its secrets apart. */

import type { PlannedTarget } from '../runner/run-plan.ts';
import { loadTarget } from '../target/load.ts';
import { revealedKeys } from '../target/keyring.ts';

/** Throws `TargetFileError`. */
export async function loadPlanned(file: string): Promise<PlannedTarget> {
  const { target, keys, folder } = await loadTarget(file);
  return {
    target,
    secrets: revealedKeys(keys),
    folder,
  };
}
