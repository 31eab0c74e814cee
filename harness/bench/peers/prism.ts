/** Prism's proxy: it makes no requests of its own and judges the answers that pass. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { measured } from '../measured-process.ts';
import { recordedRun } from '../recorded-run.ts';
import { program, serveReference } from '../served.ts';
import { installed } from './installed.ts';
import { LONGEST_PEER_RUN_MS, type Peer } from './peer.ts';

/** The last one that runs on Node 20. */
const VERSION = '5.14.2';
const REQUESTS = 200;

export const prism: Peer = {
  name: "Prism's proxy",
  used: `${REQUESTS} of the requests of a Plumbline run pass through it; what it says of their answers counts`,
  prepare: async (scratch) => {
    const found = await installed(scratch, '@stoplight/prism-cli', VERSION);
    if (typeof found === 'string') return found;
    const bin = path.join(
      found.folder,
      'node_modules',
      '@stoplight',
      'prism-cli',
      'dist',
      'index.js',
    );
    const traffic = await recordTraffic(scratch);
    return {
      version: VERSION,
      run: async ({ baseUrl }, document, folder) => {
        const measurement = await measured({
          command: process.execPath,
          args: [program('bench/peers/prism-driver'), bin, document, baseUrl, traffic],
          scratch: folder,
          folder,
          timeoutMs: LONGEST_PEER_RUN_MS,
        });
        const failures =
          measurement.exitCode === 0
            ? new Set(measurement.stdout.split('\n').filter((line) => line !== ''))
            : undefined;
        return { measurement, failures };
      },
    };
  },
};

/** Requests of a whole run, evenly taken, each once. The seeds are those of the faulty deployments, and so are keys and ids. */
async function recordTraffic(scratch: string): Promise<string> {
  const target = path.join(scratch, 'traffic.yaml');
  const record = path.join(scratch, 'traffic.ndjson');
  const served = await serveReference('compute', target);
  try {
    await recordedRun(scratch, target, record);
  } finally {
    await served.stop();
  }
  const lines = [...new Set((await readFile(record, 'utf8')).trimEnd().split('\n'))];
  const step = Math.max(1, lines.length / REQUESTS);
  const taken = Array.from({ length: Math.min(REQUESTS, lines.length) }, (_, index) => {
    return lines[Math.floor(index * step)] ?? '';
  });
  await writeFile(record, taken.join('\n'));
  return record;
}
