import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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
      sequence: { groupOrder: 1 },
    },
  };
}

/** Tests of this project itself; `isolate` gives each file modules of its own. */
function testsOf(name: string, include: string, isolate: boolean) {
  return {
    test: {
      name,
      include: [include],
      isolate,
      globalSetup: 'suites/self/temporary-folder.ts',
      testTimeout: 60_000,
      hookTimeout: 60_000,
      sequence: { groupOrder: 0 },
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
    // One more at a time would end a minute sooner, and make tests late that measure what passed in a moment.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    // With `ALLURE_RESULTS_DIR`, Allure's own reporter writes results there.
    reporters:
      resultsDir === undefined
        ? ['default']
        : ['default', ['allure-vitest/reporter', { resultsDir }]],
    projects: [
      // Tests of modules share what they load, which takes longer than most of them; those of the command do not.
      testsOf('unit', '{schemas,harness,reports}/**/*.test.ts', false),
      testsOf('self', 'suites/self/**/*.test.ts', true),
      suiteOf('compute'),
      suiteOf('router'),
    ],
  },
});
