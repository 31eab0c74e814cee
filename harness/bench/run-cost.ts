/** What runs cost: full ones, by the size of the account, and by the values that properties try. */

import path from 'node:path';
import { type Benchmark, mebibytes, seconds, whole } from './tables.ts';
import { programs, referenceRun, serveBy, suiteRun, type SuiteRun } from './served.ts';

export const fullRun: Benchmark = {
  name: 'full-run',
  measure: async ({ scratch, tell }) => {
    tell('full runs');
    const rows = [
      costRow('compute, served by another process', await referenceRun(scratch, 'compute')),
      costRow('router, served by another process', await referenceRun(scratch, 'router')),
      costRow('both, references in the same process', await suiteRun(scratch, [])),
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

function costRow(name: string, run: SuiteRun): readonly string[] {
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

const SIZES = [100, 1_000, 10_000, 100_000] as const;

export const accountSize: Benchmark = {
  name: 'account-size',
  measure: async ({ scratch, tell }) => {
    const rows: string[][] = [];
    for (const size of SIZES) {
      tell(`an account of ${whole(size)} instances`);
      const file = path.join(scratch, `account-${size}.yaml`);
      const served = await serveBy(programs, ['served-compute', String(size), file]);
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

const RUNS = [10, 100, 1_000] as const;
/** Sections whose cases are properties for the most part. */
const SECTIONS = ['compute.list-instances', 'router.backend-classification'] as const;

export const propertyRuns: Benchmark = {
  name: 'property-runs',
  measure: async ({ scratch, tell }) => {
    const rows: string[][] = [];
    for (const section of SECTIONS) {
      for (const runs of RUNS) {
        tell(`${section} with ${whole(runs)} values`);
        const contract = section.startsWith('router.') ? 'router' : 'compute';
        const args = ['--only', section, '--runs', String(runs)];
        const run = await referenceRun(scratch, contract, args);
        rows.push([
          section,
          whole(runs),
          whole(run.requests),
          seconds(run.wallSeconds),
          seconds(run.cpuSeconds),
          mebibytes(run.peakBytes),
        ]);
      }
    }
    return [
      {
        title: 'Values that a property tries',
        columns: ['section', '`--runs`', 'requests', 'wall', 'CPU', 'peak memory'],
        rows,
        notes: [
          'The budget of requests of the target file bounds what a thousand values may cost.',
        ],
      },
    ];
  },
};
