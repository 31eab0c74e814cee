import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const CORES = availableParallelism();

/** The suite of a contract: one file that registers every case, so that waits overlap with work. */
function suiteOf(contract: 'compute' | 'router') {
  return {
    test: {
      name: contract,
      include: ['suites/vitest.ts'],
      globalSetup: 'suites/vitest-project.ts',
      // A suite tells of whatever it meets: nothing about it is tried twice.
      retry: 0,
      pool: 'threads' as const,
      isolate: false,
      maxConcurrency: 10_000,
      sequence: { groupOrder: 2 },
    },
  };
}

/** Tests of this project itself; `isolate` gives each file modules of its own. */
function testsOf(
  name: string,
  include: string,
  { isolate, maxWorkers, groupOrder }: { isolate: boolean; maxWorkers: number; groupOrder: number },
) {
  return {
    test: {
      name,
      include: [include],
      isolate,
      maxWorkers,
      globalSetup: 'suites/self/temporary-folder.ts',
      testTimeout: 60_000,
      hookTimeout: 60_000,
      sequence: { groupOrder },
    },
  };
}

/** What takes longest, or waits for packages, the longest first. */
const LONGEST = [
  'self/allure',
  'self/docs',
  'self/package',
  'self/secrets',
  'self/proof',
  'self/interrupt',
  'self/compute-conditions',
  'self/deploy',
  'self/hostile',
  'html/page.browser',
  'self/sharding',
  'self/reference',
  'lifecycle/tracked-instance',
  'self/flaky',
  'self/replay',
];

/** Begins what takes longest, so that all workers end together: Vitest itself knows times of earlier runs alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? LONGEST.length : at;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer's own, which changes no array
    const usual = await super.sort(files);
    return usual.toSorted((one, two) => rank(one) - rank(two));
  }
}

const resultsDir = process.env['ALLURE_RESULTS_DIR'];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // With `ALLURE_RESULTS_DIR`, Allure's own reporter writes results there.
    reporters:
      resultsDir === undefined
        ? ['default']
        : ['default', ['allure-vitest/reporter', { resultsDir }]],
    projects: [
      // Tests of modules share what they load, which takes longer than most of them; some measure what passed in a moment,
      // and would be late beside one more. Those of the command wait for other processes half of the time.
      testsOf('unit', '{schemas,harness,reports}/**/*.test.ts', {
        isolate: false,
        maxWorkers: CORES,
        groupOrder: 1,
      }),
      testsOf('self', 'suites/self/**/*.test.ts', {
        isolate: true,
        maxWorkers: CORES + 1,
        groupOrder: 0,
      }),
      suiteOf('compute'),
      suiteOf('router'),
    ],
  },
});
