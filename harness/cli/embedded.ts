/** The built-in reference deployments, started for one run. */

import type { Contract } from '../../schemas/requirement.ts';
import type { PlannedTarget } from '../suite/run-plan.ts';

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
    secrets: Object.fromEntries([...keys].map(([key, secret]) => [key, secret.reveal()])),
    folder,
  };
}

/** Bytes that the built-in router accepts in one request: small, so that the limit is cheap to reach. */
const EMBEDDED_REQUEST_BYTES = 256 * 1024;

/** Starts the reference deployments of the contracts on free ports of the loopback interface. */
export async function startEmbedded(contracts: readonly Contract[]): Promise<Embedded> {
  const closers: (() => Promise<void>)[] = [];
  const targets: PlannedTarget[] = [];
  if (contracts.includes('compute')) {
    const { startCompute } = await import('../reference/compute/start.ts');
    const reference = await startCompute({});
    closers.push(() => reference.close());
    targets.push(await planned(reference.target(), 'reference-compute'));
  }
  if (contracts.includes('router')) {
    const [{ startRouter }, { startScriptedBackend }] = await Promise.all([
      import('../reference/router/start.ts'),
      import('../backend/scripted-backend.ts'),
    ]);
    const backend = await startScriptedBackend({
      listen: ['127.0.0.1:0', '127.0.0.1:0'],
      control: '127.0.0.1:0',
    });
    const router = await startRouter({
      engines: backend.listeners,
      limits: { maxRequestBytes: EMBEDDED_REQUEST_BYTES },
    });
    closers.push(
      () => router.close(),
      () => backend.close(),
    );
    targets.push(
      await planned(
        { ...router.target(), backend: { control: backend.controlUrl } },
        'reference-router',
      ),
    );
  }
  return {
    targets,
    close: async () => {
      for (const close of closers) await close();
    },
  };
}
