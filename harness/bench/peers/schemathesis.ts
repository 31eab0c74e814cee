/** Schemathesis: values made from the document, valid and invalid ones. It is a Python program, used where it is there. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { measured } from '../measured-process.ts';
import { LONGEST_PEER_RUN_MS, type Peer } from './peer.ts';

/** Names the command where it is not on the path. */
const VARIABLE = 'PLUMBLINE_BENCH_SCHEMATHESIS';
const EXAMPLES = 20;

/** What of its report is read. */
const report = z.object({
  failures: z.array(z.object({ code: z.string(), operations: z.array(z.string()) })),
});

export const schemathesis: Peer = {
  name: 'Schemathesis',
  used: `all its phases and checks with ${EXAMPLES} examples for each operation, a fixed seed and no shrinking`,
  prepare: async (scratch) => {
    const command = process.env[VARIABLE] ?? 'schemathesis';
    const asked = await measured({ command, args: ['--version'], scratch, timeoutMs: 30_000 });
    const [, version] = /version (\S+)/u.exec(asked.stdout) ?? [];
    if (version === undefined) {
      return `there is no command ${command}; pip install schemathesis, or name it in ${VARIABLE}`;
    }
    return {
      version,
      run: async ({ name, baseUrl, key }, document, folder) => {
        const file = path.join(folder, `schemathesis-${name}.json`);
        const measurement = await measured({
          command,
          args: [
            ['run', document, '--url', baseUrl, '--header', `Authorization: Bearer ${key}`],
            ['--max-examples', String(EXAMPLES), '--seed', '1', '--no-shrink', '--no-color'],
            ['--checks', 'all', '--report', 'json', '--report-json-path', file],
          ].flat(),
          scratch: folder,
          folder,
          timeoutMs: LONGEST_PEER_RUN_MS,
        });
        return { measurement, failures: await failuresIn(file) };
      },
    };
  },
};

/** Check and operation of each failure. Undefined without a report. */
async function failuresIn(file: string): Promise<ReadonlySet<string> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { failures } = report.parse(JSON.parse(text));
  return new Set(
    failures.flatMap(({ code, operations }) => operations.map((where) => `${code} ${where}`)),
  );
}
