/** `npm run bench [-- --only NAME --minutes 11 --write]`: measures, prints, and writes docs/benchmarks.md. */

import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from '../cli/commands/numbers.ts';
import { contributorCommand } from '../cli/contributor-command.ts';
import type { Table } from './benchmark.ts';
import { benchmarks } from './benchmarks.ts';
import { machine } from './machine.ts';
import { asPage, asText } from './page.ts';

interface BenchOptions {
  readonly only?: readonly string[];
  readonly minutes: number;
  readonly write: boolean;
}

const names = benchmarks.map(({ name }) => name);
const options = contributorCommand('bench', 'Measures, and prints what was measured.')
  .addOption(
    new Option('--only <NAME>', 'only this benchmark (repeatable)')
      .choices(names)
      .argParser(benchmarkNames),
  )
  .option(
    '--minutes <N>',
    'for all of it; what can be cut short (the peers) is cut to fit',
    wholeNumber(1, 600),
    11,
  )
  .option('--write', 'write docs/benchmarks.md', false)
  .parse()
  .opts<BenchOptions>();
const wanted = benchmarks.filter(({ name }) => options.only?.includes(name) ?? true);
const longestMs = options.minutes * 60_000;

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
if (options.write && failures.length === 0) {
  const only = (options.only ?? []).map((name) => ` --only ${name}`).join('');
  const command = `npm run bench -- --write${only}`;
  writeFileSync(
    'docs/benchmarks.md',
    asPage({ tables, machine: measuredOn, command, date: new Date(), wallSeconds }),
  );
}
process.exitCode = failures.length === 0 ? 0 : 1;

function benchmarkNames(name: string, before: readonly string[] = []): readonly string[] {
  if (!names.includes(name)) throw new InvalidArgumentError(`There are ${names.join(', ')}.`);
  return [...before, name];
}
