/** What a full run costs, against a reference in another process and in the same one. */

import type { Benchmark } from './benchmark.ts';
import { mebibytes, seconds, whole } from './figures.ts';
import { referenceRun } from './reference-run.ts';
import { type SuiteRun, suiteRun } from './suite-run.ts';

export const fullRun: Benchmark = {
  name: 'full-run',
  measure: async ({ scratch, tell }) => {
    tell('full runs');
    const rows = [
      row('compute, served by another process', await referenceRun(scratch, 'compute')),
      row('router, served by another process', await referenceRun(scratch, 'router')),
      row('both, references in the same process', await suiteRun(scratch, [])),
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
