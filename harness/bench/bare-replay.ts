/** The exchanges of a full run again, by a client that does nothing with them: what judging costs beside asking. */

import path from 'node:path';
import type { Contract } from '../../schemas/requirement.ts';
import { loadTarget } from '../target/load.ts';
import { type BenchContext, type Benchmark, mebibytes, ratio, seconds, whole } from './tables.ts';
import { measured } from './measured-process.ts';
import { programs, referenceRun, serveReference, suiteRun, type SuiteRun } from './served.ts';

const LONGEST_REPLAY_MS = 120_000;

export const bareReplay: Benchmark = {
  name: 'bare-replay',
  measure: async (context) => [
    {
      title: 'The same requests sent bare',
      columns: ['client', 'requests', 'wall', 'CPU', 'peak memory', 'CPU, bare = 1'],
      rows: [
        ...(await both('compute', context)),
        ...(await both('router', context)),
        await emptyRun(context),
      ],
      notes: [
        'Bare is undici with the concurrency of the target file: it sends what the run sent, in that order, reads each answer to its end, and waits 8 seconds at most. It starts in a process of its own, too.',
        'An empty Vitest run has one test that does nothing, run as the suites are: what no suite of its own can go below.',
        'Requests on raw sockets, wrong on purpose, are not sent again; those to the control port of the scripted engine are.',
      ],
    },
  ],
};

async function both(
  contract: Contract,
  { scratch, tell }: BenchContext,
): Promise<readonly (readonly string[])[]> {
  tell(`recording and replaying ${contract}`);
  const target = path.join(scratch, `bare-${contract}.yaml`);
  const record = path.join(scratch, `bare-${contract}.ndjson`);
  const suite = await referenceRun(scratch, contract);
  // Recording costs: the run that is measured is another one. The replay goes to the deployment whose keys it has.
  const served = await serveReference(contract, target);
  try {
    await recordedRun(scratch, target, record);
    const { budget } = (await loadTarget(target)).target;
    const bare = await measured({
      command: process.execPath,
      args: [programs, 'bare-client', record, String(budget.concurrency)],
      scratch,
      timeoutMs: LONGEST_REPLAY_MS,
    });
    const cost = bare.cpuSeconds ?? 0;
    return [
      [
        `${contract}, suite`,
        whole(suite.requests),
        seconds(suite.wallSeconds),
        seconds(suite.cpuSeconds),
        mebibytes(suite.peakBytes),
        ratio(suite.cpuSeconds ?? 0, cost),
      ],
      [
        `${contract}, bare`,
        whole(Number(bare.stdout)),
        seconds(bare.wallSeconds),
        seconds(bare.cpuSeconds),
        mebibytes(bare.peakBytes),
        ratio(cost, cost),
      ],
    ];
  } finally {
    await served.stop();
  }
}

/** What Vitest itself costs. */
async function emptyRun({ scratch, tell }: BenchContext): Promise<readonly string[]> {
  tell('an empty Vitest run');
  const run = await measured({
    command: process.execPath,
    args: [programs, 'empty-run'],
    scratch,
    timeoutMs: LONGEST_REPLAY_MS,
  });
  if (run.exitCode !== 0) throw new Error(`the empty Vitest run failed:\n${run.stderr}`);
  return [
    'an empty Vitest run',
    '–',
    seconds(run.wallSeconds),
    seconds(run.cpuSeconds),
    mebibytes(run.peakBytes),
    '–',
  ];
}

/** Runs a target and appends its requests to a file, as lines of `RecordedLine`. */
async function recordedRun(scratch: string, target: string, record: string): Promise<SuiteRun> {
  return suiteRun(scratch, [target], {
    NODE_OPTIONS: `--import=${new URL('recording-preload.js', import.meta.url).href}`,
    PLUMBLINE_BENCH_RECORD: record,
  });
}
