/** A measured run of the command, and what its result says. */

import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { conformanceReport } from '../../schemas/report.ts';
import { type Measurement, measured } from './measured-process.ts';
import { plumblineBin } from './served.ts';

export interface SuiteRun extends Measurement {
  readonly requests: number;
  /** Requirements that came out as failed or as an error. */
  readonly broken: number;
}

/** The seed of every measured run: what is drawn is the same each time. */
const SEED = '1';
const LONGEST_RUN_MS = 180_000;

/** Runs `plumbline run` with a fixed seed. Throws when it left no result, with what it said. */
export async function suiteRun(
  scratch: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<SuiteRun> {
  const out = await mkdtemp(path.join(scratch, 'report-'));
  const run = await measured({
    command: process.execPath,
    args: [plumblineBin, 'run', ...args, '--seed', SEED, '--out', out],
    scratch,
    folder: scratch,
    environment,
    timeoutMs: LONGEST_RUN_MS,
  });
  if (run.timedOut || run.exitCode === undefined || run.exitCode > 1) {
    throw new Error(
      `plumbline run ${args.join(' ')} ended with ${run.exitCode ?? 'a signal'}:\n${run.stderr}`,
    );
  }
  const report = conformanceReport.parse(
    JSON.parse(readFileSync(path.join(out, 'conformance.json'), 'utf8')),
  );
  return {
    ...run,
    requests: report.run.requests,
    broken: report.requirements.filter(({ verdict }) => verdict === 'failed' || verdict === 'error')
      .length,
  };
}
