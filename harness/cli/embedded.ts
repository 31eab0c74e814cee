/** The built-in reference deployments, started for one run. */

import type { Contract } from '../../schemas/requirement.ts';
import type { PlannedTarget } from '../suite/run-plan.ts';
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

/** Bytes that the built-in router accepts in one request: small, so that the limit is cheap to reach. */
const EMBEDDED_REQUEST_BYTES = 256 * 1024;

/** On the second key alone: low enough to be met, high enough not to be in the way. */
const EMBEDDED_RATE_LIMIT = { requests: 150, perSeconds: 1, roles: ['second'] } as const;

/** Starts the reference deployments of the contracts on free ports of the loopback interface. */
export async function startEmbedded(contracts: readonly Contract[]): Promise<Embedded> {
  const closers: (() => Promise<void>)[] = [];
  const targets: PlannedTarget[] = [];
  if (contracts.includes('compute')) {
    const { startCompute } = await import('../reference/compute/start.ts');
    const reference = await startCompute({
      rateLimit: EMBEDDED_RATE_LIMIT,
      // A key over its limit stays so for a moment, in which another key can be seen to be free.
      choices: { rateWindow: 'fixed' },
    });
    closers.push(() => reference.close());
    targets.push(await planned(reference.target(), 'reference-compute'));
  }
  if (contracts.includes('router')) {
    const { startScriptedRouter } = await import('../reference/router/scripted.ts');
    const router = await startScriptedRouter({
      limits: { maxRequestBytes: EMBEDDED_REQUEST_BYTES },
    });
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
