/** A measured run against a reference of its own, which another process serves. */

import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import type { Contract } from '../../schemas/requirement.ts';
import { serveReference } from './served.ts';
import { type SuiteRun, suiteRun } from './suite-run.ts';

/** Starts the reference, runs the command with further arguments, and stops the reference. */
export async function referenceRun(
  scratch: string,
  contract: Contract,
  args: readonly string[] = [],
): Promise<SuiteRun> {
  const target = path.join(await mkdtemp(path.join(scratch, 'reference-')), `${contract}.yaml`);
  const served = await serveReference(contract, target);
  try {
    return await suiteRun(scratch, [target, ...args]);
  } finally {
    await served.stop();
  }
}
