/** `npm run stability [-- --times 20 --first-seed 1 --busy]`: repeats the suite against the unchanged references. */

import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { contractNames } from '../../schemas/contracts.ts';
import type { ConformanceReport } from '../../schemas/report.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { referenceOf } from '../contracts/index.ts';
import type { Depth } from '../runner/case.ts';
import { asTargetFile } from '../target/draft.ts';
import { ended } from './exit.ts';
import { COMMAND, inTemporaryFolder, readReport } from './files.ts';
import { packageFolder } from './version.ts';
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

const wrong = new Set(['failed', 'warned', 'error', 'inconclusive']);

/** One busy thread for each processor, until terminated. */
const busy = options.busy
  ? Array.from({ length: availableParallelism() }, () => new Worker('for (;;);', { eval: true }))
  : [];

let unsound = 0;
const depths: readonly Depth[] = options.write ? ['quick', 'standard', 'thorough'] : ['standard'];
/** Requests of each case by contract, section and title, and then by depth and budget of the run. */
const requests: Record<string, Record<string, Record<string, Map<string, number[]>>>> = {};
/** Budgets that cut a quick run short. Another case may then pay for requests that several cases share. */
const CUT_AT = [400, 800] as const;
const seeds = Array.from({ length: options.times }, (_, at) => options.firstSeed + at);
for (const [seed, depth] of seeds.flatMap((one) => depths.map((how) => [one, how] as const))) {
  const report = await reportOf([], seed, depth);
  const odd = report.requirements.filter(({ verdict }) => wrong.has(verdict));
  if (odd.length > 0 || report.troubles.length > 0) unsound += 1;
  noteRequests(report, depth);
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
}
if (options.write) {
  for (const seed of seeds) {
    for (const contract of contractNames) {
      for (const budget of CUT_AT)
        noteRequests(await cutRun(contract, budget, seed), 'quick', budget);
    }
  }
  const costs = (_: string, value: unknown): unknown =>
    value instanceof Map ? depths.map((depth) => costOf(value, depth)) : value;
  writeFileSync(
    path.join(packageFolder, 'suites/costs.json'),
    `${JSON.stringify(requests, costs, 2)}\n`,
  );
}
await Promise.all(busy.map(async (worker) => worker.terminate()));
console.log(`${options.times - unsound} of ${options.times} runs as they should be`);
process.exitCode = unsound === 0 ? 0 : 1;

async function reportOf(
  targets: readonly string[],
  seed: number,
  depth: Depth,
): Promise<ConformanceReport> {
  return inTemporaryFolder(async (folder) => {
    const asked = ['run', ...targets, '--seed', String(seed), '--depth', depth, '--out', folder];
    await ended(process.execPath, [COMMAND, ...asked], 'ignore');
    return readReport(path.join(folder, 'conformance.json')).report;
  });
}

/** A quick run of a reference with a maximum number of requests. */
async function cutRun(
  contract: Contract,
  budget: number,
  seed: number,
): Promise<ConformanceReport> {
  const reference = await (await referenceOf(contract)).start({});
  const file = path.join(tmpdir(), `plumbline-cut-${process.pid}.yaml`);
  try {
    const target = { ...reference.target(), budget: { requests: budget } };
    writeFileSync(file, asTargetFile(target));
    return await reportOf([file], seed, 'quick');
  } finally {
    rmSync(file, { force: true });
    await reference.close();
  }
}

function noteRequests(report: ConformanceReport, depth: Depth, budget = Infinity): void {
  for (const { target, section, case: name, requests: sent } of report.cases) {
    const contract = report.targets.find((one) => one.name === target)?.contract ?? '';
    const title = name.slice(name.indexOf(' › ') + ' › '.length);
    const ofCase = (((requests[contract] ??= {})[section] ??= {})[title] ??= new Map());
    const kind = `${depth} ${budget}`;
    ofCase.set(kind, [...(ofCase.get(kind) ?? []), sent]);
  }
}

/** The largest median over the runs of a depth, cut or whole. Undefined if no such run had the case. */
function costOf(sent: ReadonlyMap<string, readonly number[]>, depth: Depth): number | undefined {
  const medians = [...sent]
    .filter(([kind]) => kind.startsWith(`${depth} `))
    .flatMap(([, values]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? []);
  return medians.length === 0 ? undefined : Math.max(...medians);
}
