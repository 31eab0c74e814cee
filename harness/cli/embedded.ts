/** The built-in reference deployments, started for one run. */

import type { Contract } from '../../schemas/requirement.ts';
import { startExercisedCompute, startExercisedRouter } from '../reference/fully-exercised.ts';
import type { PlannedTarget } from '../runner/run-plan.ts';
import { revealedKeys } from '../target/keyring.ts';

export interface Embedded {
  readonly targets: readonly PlannedTarget[];
  close(): Promise<void>;
}

/** A target file in memory, with where its commands run. */
async function planned(file: unknown, name: string): Promise<PlannedTarget> {
  const { parseTarget } = await import('../target/load.ts');
  const { target, keys, folder } = parseTarget(JSON.stringify(file), `${name}.yaml`);
  return {
    target: { ...target, name },
    secrets: revealedKeys(keys),
    folder,
  };
}

/** Starts the reference deployments of the contracts on free ports of the loopback interface. */
export async function startEmbedded(contracts: readonly Contract[]): Promise<Embedded> {
  const closers: (() => Promise<void>)[] = [];
  const targets: PlannedTarget[] = [];
  if (contracts.includes('compute')) {
    const reference = await startExercisedCompute();
    closers.push(() => reference.close());
    targets.push(await planned(reference.target(), 'reference-compute'));
  }
  if (contracts.includes('router')) {
    const router = await startExercisedRouter({ hasEngineThread: true });
    closers.push(() => router.close());
    targets.push(await planned(router.target(), 'reference-router'));
  }
  return {
    targets,
    close: async () => {
      for (const close of closers) await close();
    },
  };
}
