/** Specmatic: combinations of documented values. It needs Java. */

import path from 'node:path';
import { measured } from '../measured-process.ts';
import { installed } from './installed.ts';
import { LONGEST_PEER_RUN_MS, type Peer } from './peer.ts';

const VERSION = '2.55.1';
/** Of the values of one request; without a bound it makes thousands. */
const COMBINATIONS = 20;

export const specmatic: Peer = {
  name: 'Specmatic',
  used: `contract tests with at most ${COMBINATIONS} combinations for each operation`,
  prepare: async (scratch) => {
    const java = await measured({
      command: 'java',
      args: ['-version'],
      scratch,
      timeoutMs: 30_000,
    });
    if (java.exitCode !== 0) return 'there is no Java';
    const found = await installed(scratch, 'specmatic', VERSION);
    if (typeof found === 'string') return found;
    const jar = path.join(found.folder, 'node_modules', 'specmatic', 'specmatic.jar');
    return {
      version: VERSION,
      run: async ({ baseUrl, key }, document, folder) => {
        const measurement = await measured({
          command: 'java',
          args: ['-jar', jar, 'test', document, `--testBaseURL=${baseUrl}`],
          scratch: folder,
          folder,
          // It reads the secret of a security scheme from the variable of that name.
          environment: { MAX_TEST_REQUEST_COMBINATIONS: String(COMBINATIONS), bearer: key },
          timeoutMs: LONGEST_PEER_RUN_MS,
        });
        return { measurement, failures: failuresOf(measurement.stdout) };
      },
    };
  },
};

/** `Scenario: … has FAILED`: the scenario. Undefined when it ran none. */
export function failuresOf(stdout: string): ReadonlySet<string> | undefined {
  const lines = [...stdout.matchAll(/^\s*Scenario: (.*) has (FAILED|SUCCEEDED)$/gmu)];
  if (lines.length === 0) return undefined;
  return new Set(lines.flatMap(([, what = '', outcome]) => (outcome === 'FAILED' ? [what] : [])));
}
