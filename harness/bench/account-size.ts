/** How the cost of reading lists grows with the account. */

import path from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { mebibytes, seconds, whole } from './figures.ts';
import { program, serveBy } from './served.ts';
import { suiteRun } from './suite-run.ts';

const SIZES = [100, 1_000, 10_000, 100_000] as const;

export const accountSize: Benchmark = {
  name: 'account-size',
  measure: async ({ scratch, tell }) => {
    const rows: string[][] = [];
    for (const size of SIZES) {
      tell(`an account of ${whole(size)} instances`);
      const file = path.join(scratch, `account-${size}.yaml`);
      const served = await serveBy(program('bench/served-compute'), [
        '--instances',
        String(size),
        '--file',
        file,
      ]);
      try {
        const run = await suiteRun(scratch, [file, '--only', 'compute.pagination']);
        rows.push([
          whole(size),
          whole(run.requests),
          seconds(run.wallSeconds),
          seconds(run.cpuSeconds),
          mebibytes(run.peakBytes),
        ]);
      } finally {
        await served.stop();
      }
    }
    return [
      {
        title: 'Instances in the account',
        columns: ['instances', 'requests', 'wall', 'CPU', 'peak memory'],
        rows,
        notes: [
          'The requirements of paging. Of a large account the suite reads a bounded part, so its CPU and memory stay; the wall holds the time that the reference needs to filter and sort its list for each page.',
        ],
      },
    ];
  },
};
