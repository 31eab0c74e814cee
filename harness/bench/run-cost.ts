/** The cost of a run, and the start-up time of the command. */

import path from 'node:path';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { type Benchmark, costOf, seconds, whole } from './tables.ts';
import type { RecordedLine } from './preload.ts';
import {
  measured,
  plumblineBin,
  programs,
  referenceRun,
  serveBy,
  serveReference,
  suiteRun,
  type SuiteRun,
} from './served.ts';

export const fullRun: Benchmark = {
  name: 'full-run',
  measure: async ({ scratch, progress }) => {
    progress('full runs');
    const rows = [
      costRow('compute, served by another process', await referenceRun(scratch, 'compute')),
      costRow('router, served by another process', await referenceRun(scratch, 'router')),
      costRow('both, references in the same process', await suiteRun(scratch, [])),
    ];
    return [
      {
        title: 'A full run',
        columns: ['run', 'requests', 'requests/s', 'wall', 'CPU', 'peak memory', 'broken'],
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
  const { requests, wallSeconds, broken } = run;
  return [name, whole(requests), whole(requests / wallSeconds), ...costOf(run), whole(broken)];
}

const SIZES = [100, 1_000, 10_000, 100_000] as const;

export const accountSize: Benchmark = {
  name: 'account-size',
  measure: async ({ scratch, progress }) => {
    const rows: string[][] = [];
    for (const size of SIZES) {
      progress(`an account of ${whole(size)} instances`);
      const file = path.join(scratch, `account-${size}.yaml`);
      await using _served = await serveBy(programs, ['served-compute', String(size), file]);
      const run = await suiteRun(scratch, [file, '--only', 'compute.pagination']);
      rows.push([whole(size), whole(run.requests), ...costOf(run)]);
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
/** Sections with mostly property-based cases. */
const SECTIONS = ['compute.list-instances', 'router.backend-classification'] as const;

export const propertyRuns: Benchmark = {
  name: 'property-runs',
  measure: async ({ scratch, progress }) => {
    const rows: string[][] = [];
    for (const section of SECTIONS) {
      for (const runs of RUNS) {
        progress(`${section} with ${whole(runs)} values`);
        const contract = section.startsWith('router.') ? 'router' : 'compute';
        const args = ['--only', section, '--runs', String(runs)];
        const run = await referenceRun(scratch, contract, args);
        rows.push([section, whole(runs), whole(run.requests), ...costOf(run)]);
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

const TIMES = 5;

export const startUp: Benchmark = {
  name: 'start-up',
  measure: async ({ scratch, progress }) => {
    progress('starting up');
    const helps: number[] = [];
    for (let turn = 0; turn < TIMES; turn += 1) {
      helps.push((await measured([plumblineBin, '--help'], scratch, 30_000)).wallSeconds);
    }
    const file = path.join(scratch, 'start-up.yaml');
    await using _served = await serveReference('compute', file);
    const firsts: Readonly<Record<'run' | 'suite', number>>[] = [];
    for (let turn = 0; turn < TIMES; turn += 1) firsts.push(await firstRequests(file, scratch));
    return [
      {
        title: 'Start',
        columns: ['from the start of the process to', 'median', 'slowest'],
        rows: [
          ['the end of `plumbline --help`', ...spread(helps)],
          [
            'the first request of a run, which tries the key',
            ...spread(firsts.map(({ run }) => run)),
          ],
          ['the first request of a suite', ...spread(firsts.map(({ suite }) => suite))],
        ],
        notes: [`${TIMES} times each, when each request is about to be sent.`],
      },
    ];
  },
};

/** Seconds from the start of a run to its first request, and to the first request of the suite. */
async function firstRequests(file: string, scratch: string) {
  const record = path.join(await mkdtemp(path.join(scratch, 'start-up-')), 'requests.ndjson');
  const from = Date.now();
  const args = [file, '--only', 'compute.regions.answers'];
  await suiteRun(scratch, args, { PLUMBLINE_BENCH_RECORD: record });
  const lines = readFileSync(record, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): RecordedLine => JSON.parse(line));
  const since = (line: RecordedLine | undefined): number => ((line?.at ?? from) - from) / 1000;
  return { run: since(lines[0]), suite: since(lines.find(({ isOfSuite }) => isOfSuite)) };
}

function spread(values: readonly number[]): readonly string[] {
  const sorted = values.toSorted((one, other) => one - other);
  return [seconds(sorted[Math.floor(sorted.length / 2)]), seconds(sorted.at(-1))];
}
