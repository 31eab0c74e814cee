/** A process that has Vitest run a suite that does nothing, in the way in which `plumbline run` has it run the suites. */

import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';

const vitest = await createVitest(
  'test',
  {
    root: fileURLToPath(new URL('../../', import.meta.url)),
    config: false,
    watch: false,
    include: ['harness/bench/empty-suite.js'],
    reporters: [{}],
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
    server: { deps: { external: [/\/(?:harness|schemas|suites)\/.*\.js$/u] } },
  },
  { logLevel: 'silent' },
);
await vitest.start();
const failed = vitest.state.getCountOfFailedTests();
const ran = vitest.state.getFiles().length;
await vitest.close();
if (failed > 0 || ran !== 1) throw new Error('Vitest did not run the empty suite');
