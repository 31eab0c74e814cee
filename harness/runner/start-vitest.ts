/** Starts Vitest on the compiled suites: in this process, without a configuration file, with one worker. */

import { fileURLToPath } from 'node:url';
import type { Reporter, Vitest } from 'vitest/node';
import type { RunPlan } from './run-plan.ts';

/** The folder that holds `suites/` and `harness/`, compiled. */
const compiled = fileURLToPath(new URL('../../', import.meta.url));

export interface VitestRun {
  readonly plan: RunPlan;
  readonly reporters: readonly Reporter[];
}

/** Loads what prepares Vitest: a few tenths of a second, which may pass while deployments start. */
export async function loadVitest() {
  return import('vitest/node');
}

/** Prepares Vitest. All sections load as one file, which is several times faster than a file each. */
export async function prepareVitest(run: VitestRun): Promise<Vitest> {
  const { createVitest } = await loadVitest();
  const ownHandlers = signalHandlers();
  const vitest = await createVitest(
    'test',
    {
      root: compiled,
      config: false,
      watch: false,
      include: ['bundle/suites/run.js'],
      reporters: [...run.reporters],
      provide: { plumbline: run.plan },
      pool: 'threads',
      isolate: false,
      maxWorkers: 1,
      sequence: { concurrent: true },
      maxConcurrency: 10_000,
      testTimeout: 0,
      hookTimeout: 120_000,
      teardownTimeout: 120_000,
      passWithNoTests: true,
      // The bundle is plain modules of Node: nothing in it is to be transformed.
      server: { deps: { external: [/\/bundle\/suites\/[^/]+\.js$/u] } },
    },
    { logLevel: 'silent' },
  );
  endHandlersBut(ownHandlers);
  return vitest;
}

type SignalHandlers = ReadonlyMap<NodeJS.Signals, ReadonlySet<NodeJS.SignalsListener>>;

function signalHandlers(): SignalHandlers {
  return new Map(
    (['SIGINT', 'SIGTERM'] as const).map((name) => [name, new Set(process.listeners(name))]),
  );
}

/** Vitest ends the process a millisecond after a signal, without teardown; what we made must be removed first. */
function endHandlersBut(kept: SignalHandlers): void {
  for (const [name, own] of kept) {
    for (const listener of process.listeners(name)) {
      if (!own.has(listener)) process.off(name, listener);
    }
  }
}
