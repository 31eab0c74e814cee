/** Every benchmark, in the order of the page. */

import { accountSize } from './account-size.ts';
import { bareReplay } from './bare-replay.ts';
import type { Benchmark } from './benchmark.ts';
import { checkRate } from './check-rate.ts';
import { comparison } from './peers/comparison.ts';
import { fullRun } from './full-run.ts';
import { propertyRuns } from './property-runs.ts';
import { proxyOverhead } from './proxy-overhead.ts';
import { reportSize } from './report-size.ts';
import { startUp } from './start-up.ts';

export const benchmarks: readonly Benchmark[] = [
  fullRun,
  bareReplay,
  checkRate,
  accountSize,
  propertyRuns,
  proxyOverhead,
  reportSize,
  startUp,
  comparison,
];
