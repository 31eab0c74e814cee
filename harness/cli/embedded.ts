/** The built-in reference deployments, started for one run. */

import type { Contract } from '../../schemas/requirement.ts';
import { contractOf } from '../contracts.ts';
import type { StartedReference } from '../contract.ts';
import type { PlannedTarget } from '../runner/selection.ts';
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

/** Starts the reference deployments of those of the contracts that have one, on free ports of the loopback interface. */
export async function startEmbedded(contracts: readonly Contract[]): Promise<Embedded> {
  const started: StartedReference[] = [];
  const targets: PlannedTarget[] = [];
  for (const contract of contracts) {
    const module = await contractOf(contract).reference?.();
    if (module === undefined) continue;
    const reference = await module.start({});
    started.push(reference);
    targets.push(await planned(reference.target(), `reference-${contract}`));
  }
  return {
    targets,
    close: async () => {
      for (const reference of started) await reference.close();
    },
  };
}
