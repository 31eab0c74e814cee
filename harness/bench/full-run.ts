/** What a full run costs, against a reference in another process and in the same one. */

import path from 'node:path';
import type { Contract } from '../../schemas/requirement.ts';
import type { BenchContext, Benchmark } from './benchmark.ts';
import { mebibytes, seconds, whole } from './figures.ts';
import { serveReference } from './served.ts';
import { type SuiteRun, suiteRun } from './suite-run.ts';

export const fullRun: Benchmark = {
  name: 'full-run',
  measure: async (context) => {
    const rows = [
      row('compute, served by another process', await againstServed('compute', context)),
      row('router, served by another process', await againstServed('router', context)),
      row('both, references in the same process', await suiteRun(context.scratch, [])),
    ];
    return [
      {
        title: 'A full run',
        columns: ['run', 'wall', 'requests', 'requests/s', 'CPU', 'peak memory', 'broken'],
        rows,
        notes: [
          'Default property runs, a fixed seed, the HTML report included.',
          'CPU is user and system time of the command. In the last row it holds the references and the scripted backend as well.',
        ],
      },
    ];
  },
};

async function againstServed(
  contract: Contract,
  { scratch, tell }: BenchContext,
): Promise<SuiteRun> {
  tell(`a full ${contract} run`);
  const target = path.join(scratch, `full-${contract}.yaml`);
  const served = await serveReference(contract, target);
  try {
    return await suiteRun(scratch, [target]);
  } finally {
    await served.stop();
  }
}

function row(name: string, run: SuiteRun): readonly string[] {
  return [
    name,
    seconds(run.wallSeconds),
    whole(run.requests),
    whole(run.requests / run.wallSeconds),
    seconds(run.cpuSeconds),
    mebibytes(run.peakBytes),
    whole(run.broken),
  ];
}
