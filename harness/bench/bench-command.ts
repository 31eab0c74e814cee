/** `npm run bench [-- --only NAME --write]`: runs the benchmarks, prints the results and writes docs/benchmarks.md. */

import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import path from 'node:path';
import { contributorCommand, someOf } from '../cli/commands/options.ts';
import { version } from '../cli/version.ts';
import { asPage, asText, type Benchmark, mebibytes, type Table } from './tables.ts';
import { decidedByRequests } from './curve.ts';
import { accountSize, fullRun, propertyRuns, startUp } from './run-cost.ts';

const benchmarks: readonly Benchmark[] = [
  fullRun,
  accountSize,
  propertyRuns,
  startUp,
  decidedByRequests,
];

const PAGE = 'docs/benchmarks.md';
/** The page from this heading on was measured by hand and is kept. */
const MEASURED_ONCE = '\n# Measured once\n';

interface BenchOptions {
  readonly only?: readonly string[];
  readonly write: boolean;
}

const names = benchmarks.map(({ name }) => name);
const options = contributorCommand('bench', 'Measures, and prints what was measured.')
  .addOption(someOf(names, '--only <NAME>', 'only this benchmark (repeatable)'))
  .option('--write', 'write docs/benchmarks.md', false)
  .parse()
  .opts<BenchOptions>();
const wanted = benchmarks.filter(({ name }) => options.only?.includes(name) ?? true);

// Exiting through process.exit also stops every process that a benchmark started.
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
      progress: (what) => process.stderr.write(`${name}: ${what} …\n`),
    });
    for (const table of made) process.stdout.write(`\n${asText(table)}\n`);
    tables.push(...made);
  } catch (error) {
    // If one benchmark fails, the others still report their results.
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
  const [, once = ''] = readFileSync(PAGE, 'utf8').split(MEASURED_ONCE);
  const page = asPage({ tables, machine: measuredOn, command, date: new Date(), wallSeconds });
  for (const { picture } of tables) {
    if (picture !== undefined) writeFileSync(path.join('docs', picture.file), picture.svg);
  }
  writeFileSync(PAGE, `${page}${MEASURED_ONCE}${once}`);
}
process.exitCode = failures.length === 0 ? 0 : 1;

/** List items about the machine, the versions and the load. */
function machine(): readonly string[] {
  const [load = 0] = loadavg();
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  return [
    `Machine: ${model === 'unknown' || model === '' ? 'processor not named' : model}, ${availableParallelism()} processors for this process, ${mebibytes(totalmem())} memory`,
    `System: ${type()} ${release()}, Node ${process.version}, Plumbline ${version}`,
    `Load of the machine when the command began: ${load.toFixed(1)}`,
  ];
}
