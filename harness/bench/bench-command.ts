/** `npm run bench [-- --only NAME --minutes 11 --write]`: measures, prints, and writes docs/benchmarks.md. */

import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Table } from './benchmark.ts';
import { benchmarks } from './benchmarks.ts';
import { machine } from './machine.ts';
import { asPage, asText } from './page.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    /** For all of it; what can be cut short (the peers) is cut to fit. */
    minutes: { type: 'string', default: '11' },
    /** Writes docs/benchmarks.md. */
    write: { type: 'boolean', default: false },
  },
});

const names = benchmarks.map(({ name }) => name);
const unknown = values.only?.find((name) => !names.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark "${unknown}". There are ${names.join(', ')}.\n`);
  process.exit(2);
}
const wanted = benchmarks.filter(({ name }) => values.only?.includes(name) ?? true);

const longestMs = Number(values.minutes) * 60_000;
if (!(longestMs > 0)) {
  process.stderr.write(`--minutes ${values.minutes}: a number above 0 is needed.\n`);
  process.exit(2);
}

// An end that is asked for is an exit, at which every process that was started is ended, too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const from = performance.now();
const measuredOn = machine();
const tables: Table[] = [];
const failures: string[] = [];
for (const { name, measure } of wanted) {
  const scratch = await mkdtemp(path.join(tmpdir(), 'plumbline-bench-'));
  try {
    const made = await measure({
      scratch,
      remainingMs: () => Math.max(0, from + longestMs - performance.now()),
      tell: (what) => process.stderr.write(`${name}: ${what} …\n`),
    });
    for (const table of made) process.stdout.write(`\n${asText(table)}\n`);
    tables.push(...made);
  } catch (error) {
    // One that fails leaves the others their figures.
    failures.push(name);
    process.stderr.write(
      `${name} failed: ${error instanceof Error ? error.stack : String(error)}\n`,
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
const wallSeconds = (performance.now() - from) / 1000;
process.stdout.write(`\n${measuredOn.join('\n')}\n${Math.round(wallSeconds)} seconds\n`);
if (values.write && failures.length === 0) {
  const only = (values.only ?? []).map((name) => ` --only ${name}`).join('');
  const command = `npm run bench -- --write${only}`;
  writeFileSync(
    'docs/benchmarks.md',
    asPage({ tables, machine: measuredOn, command, date: new Date(), wallSeconds }),
  );
}
process.exitCode = failures.length === 0 ? 0 : 1;
