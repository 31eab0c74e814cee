/** Every benchmark, in the order of the page. */

import { accountSize } from './account-size.ts';
import { bareReplay } from './bare-replay.ts';
import type { Benchmark } from './benchmark.ts';
import { fullRun } from './full-run.ts';
import { propertyRuns } from './property-runs.ts';
import { proxyOverhead } from './proxy-overhead.ts';
import { startUp } from './start-up.ts';

export const benchmarks: readonly Benchmark[] = [
  fullRun,
  bareReplay,
  accountSize,
  propertyRuns,
  proxyOverhead,
  startUp,
];
