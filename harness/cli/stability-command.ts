/**
 * `npm run stability [-- --times 20 --first-seed 1 --busy]`: the whole suite against the unchanged references, again and
 * again with other seeds.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { reportFromJson } from '../../reports/formats/json.ts';
import { contributorCommand, seedNumber, wholeNumber } from './commands/options.ts';

interface StabilityOptions {
  readonly times: number;
  readonly firstSeed: number;
  readonly busy: boolean;
  readonly write: boolean;
}

const options = contributorCommand(
  'stability',
  'Runs the whole suite against the unchanged references again and again, each time with another seed.',
)
  .option('--times <N>', 'runs', wholeNumber(1, 10_000), 20)
  .option('--first-seed <N>', 'seed of the first run; each later one has the next', seedNumber, 1)
  .option('--busy', 'keep every processor occupied meanwhile', false)
  .option('--write', 'write the requests of each case to suites/costs.json', false)
  .parse()
  .opts<StabilityOptions>();

const run = promisify(execFile);
const command = fileURLToPath(new URL('../../bundle/command/bin.js', import.meta.url));
const wrong = new Set(['failed', 'warned', 'error', 'inconclusive']);

/** Threads that compute for ever, one for each processor, until they are ended. */
const busy = options.busy
  ? Array.from({ length: availableParallelism() }, () => new Worker('for (;;);', { eval: true }))
  : [];

let unsound = 0;
/** Requests of each case in each run, by contract, section, title and depth. */
const requests: Record<string, Record<string, Record<string, number[][]>>> = {};
const depths: readonly string[] = options.write ? ['quick', 'standard', 'thorough'] : ['standard'];
const seeds = Array.from({ length: options.times }, (_, at) => options.firstSeed + at);
for (const [seed, depth] of seeds.flatMap((one) => depths.map((how) => [one, how] as const))) {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-stability-'));
  const asked = ['run', '--seed', String(seed), '--depth', depth, '--out', folder];
  await run(process.execPath, [command, ...asked], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  }).catch(() => undefined);
  const file = path.join(folder, 'conformance.json');
  const report = reportFromJson(readFileSync(file, 'utf8'), file);
  const odd = report.requirements.filter(({ verdict }) => wrong.has(verdict));
  if (odd.length > 0 || report.troubles.length > 0) unsound += 1;
  for (const { target, section, case: name, requests: sent } of report.cases) {
    const contract = report.targets.find((one) => one.name === target)?.contract ?? '';
    const title = name.slice(name.indexOf(' › ') + ' › '.length);
    const ofCase = (((requests[contract] ??= {})[section] ??= {})[title] ??= depths.map(() => []));
    ofCase[depths.indexOf(depth)]?.push(sent);
  }
  console.log(
    `seed ${seed}, ${depth}: ${report.run.requests} requests, ${(report.run.durationMs / 1_000).toFixed(1)} s, ${odd.length} not as they should be`,
  );
  for (const { id, verdict, reason, findings } of odd) {
    console.log(`  ${verdict} ${id}: ${findings[0]?.message ?? reason ?? ''}`);
    if (findings[0] !== undefined)
      console.log(`    expected ${findings[0].expected}, actual ${findings[0].actual}`);
  }
  for (const { case: name, message } of report.troubles)
    console.log(`  trouble ${name}: ${message}`);
  rmSync(folder, { recursive: true });
}
if (options.write) {
  const median = (sent: readonly number[]): number | undefined =>
    sent.toSorted((a, b) => a - b)[Math.floor(sent.length / 2)];
  const medians = (_: string, value: unknown): unknown =>
    Array.isArray(value) ? value.map((sent) => median(sent)) : value;
  writeFileSync(
    fileURLToPath(new URL('../../../suites/costs.json', import.meta.url)),
    `${JSON.stringify(requests, medians, 2)}\n`,
  );
}
await Promise.all(busy.map(async (worker) => worker.terminate()));
console.log(`${options.times - unsound} of ${options.times} runs as they should be`);
process.exitCode = unsound === 0 ? 0 : 1;
