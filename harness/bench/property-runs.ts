/** How the cost of a run grows with the values that its properties try. */

import type { Benchmark } from './benchmark.ts';
import { mebibytes, seconds, whole } from './figures.ts';
import { referenceRun } from './reference-run.ts';

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
