/** Dredd: one request for each documented response. */

import path from 'node:path';
import { measured } from '../measured-process.ts';
import { installed } from './installed.ts';
import { LONGEST_PEER_RUN_MS, type Peer } from './peer.ts';

const VERSION = '14.1.0';

export const dredd: Peer = {
  name: 'Dredd',
  used: 'as it is, with the key as a header',
  prepare: async (scratch) => {
    const found = await installed(scratch, 'dredd', VERSION);
    if (typeof found === 'string') return found;
    const bin = path.join(found.folder, 'node_modules', 'dredd', 'bin', 'dredd');
    return {
      version: VERSION,
      run: async ({ baseUrl, key }, document, folder) => {
        const measurement = await measured({
          command: process.execPath,
          args: [
            bin,
            document,
            baseUrl,
            '--header',
            `Authorization: Bearer ${key}`,
            '--loglevel',
            'error',
            '--no-color',
          ],
          scratch: folder,
          folder,
          timeoutMs: LONGEST_PEER_RUN_MS,
        });
        return { measurement, failures: failuresOf(measurement.stdout) };
      },
    };
  },
};

/** `fail: GET (400) /instances duration: 12ms`: the transaction. Undefined when it ran none. */
export function failuresOf(stdout: string): ReadonlySet<string> | undefined {
  const lines = [...stdout.matchAll(/^(pass|fail|error): (.*) duration: \d+ms/gmu)];
  if (lines.length === 0) return undefined;
  return new Set(lines.flatMap(([, outcome, what = '']) => (outcome === 'pass' ? [] : [what])));
}
