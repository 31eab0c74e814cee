/** A run whose requests are written down, to be sent again by others. */

import { type SuiteRun, suiteRun } from './suite-run.ts';

/** Runs a target and appends its requests to a file, as lines of `RecordedLine`. */
export async function recordedRun(
  scratch: string,
  target: string,
  record: string,
): Promise<SuiteRun> {
  return suiteRun(scratch, [target], {
    NODE_OPTIONS: `--import=${new URL('recording-preload.js', import.meta.url).href}`,
    PLUMBLINE_BENCH_RECORD: record,
  });
}
