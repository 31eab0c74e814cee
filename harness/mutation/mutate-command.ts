/** `npm run mutate [-- --contract compute --files compute/rules/ --write]`: mutants of the references before the suite. */

import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Contract } from '../../schemas/requirement.ts';
import { mutatedCopy } from './instrument.ts';
import { runMutants } from './run-mutants.ts';
import { mutationPage } from './page.ts';
import { isListed, joined, mutationRecordText, readMutationRecord } from './survivors.ts';

const { values } = parseArgs({
  options: {
    /** `compute` or `router`; both unless told. */
    contract: { type: 'string' },
    /** Files whose names begin so, from `harness/reference/`; several beginnings with commas. */
    files: { type: 'string', default: '' },
    /** Only what docs/mutation-survivors.json lists. */
    survivors: { type: 'boolean', default: false },
    /** Only each N-th mutant: an even sample. */
    every: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '240' },
    runs: { type: 'string', default: '20' },
    /** Mutants under way at once; many of the router's mostly wait. */
    threads: { type: 'string' },
    /** Puts what the cases that reach a mutant did not find before the whole suite as well. */
    whole: { type: 'boolean', default: false },
    /** Writes docs/mutation-survivors.json, where verdicts that people gave stay, and docs/mutation.md. */
    write: { type: 'boolean', default: false },
    /** Tries nothing and only writes docs/mutation.md anew, after verdicts were given. */
    page: { type: 'boolean', default: false },
  },
});
const FILE = 'docs/mutation-survivors.json';
const PAGE = 'docs/mutation.md';
const contracts: readonly Contract[] =
  values.contract === 'compute' || values.contract === 'router'
    ? [values.contract]
    : ['compute', 'router'];
/** Threads for each processor. */
const THREADS: Readonly<Record<Contract, number>> = { compute: 1, router: 3 };

if (!values.page) {
  for (const contract of contracts) await mutate(contract);
}
if (values.page || values.write) writeFileSync(PAGE, mutationPage(readMutationRecord(FILE)));

async function mutate(contract: Contract): Promise<void> {
  const from = performance.now();
  const before = readMutationRecord(FILE);
  const { folder, mutants } = await mutatedCopy(contract);
  const chosen = mutants
    .filter(({ file }) => values.files.split(',').some((beginning) => file.startsWith(beginning)))
    .filter((mutant) => !values.survivors || isListed(mutant, before.survivors))
    .filter((_, index) => index % Number(values.every) === 0);
  process.stderr.write(`${contract}: ${chosen.length} of ${mutants.length} mutants\n`);
  const threads = values.threads ?? THREADS[contract] * availableParallelism();
  const verdicts = await runMutants(
    { folder, mutants: chosen },
    {
      contract,
      runs: Number(values.runs),
      threads: Number(threads),
      whole: values.whole,
      untilMs: from + Number(values.minutes) * 60_000,
      onRecorded: (cases, reached) => {
        process.stderr.write(`${cases} cases pass through ${reached} mutants, ${since(from)} s\n`);
      },
      onVerdict: ({ mutant, kind, by }, done, total) => {
        if (done % 100 === 0) process.stderr.write(`${done} of ${total}, ${since(from)} s\n`);
        if (kind === 'killed') return;
        const { file, line, original, mutator, part, replacement } = mutant;
        process.stdout.write(
          `[${done}/${total}] ${kind} ${file}:${line} ${mutator}: ${original}\n    ${part}\n    => ${replacement}${by === undefined ? '' : ` (${by})`}\n`,
        );
      },
    },
  );
  const count = (kind: string): number => verdicts.filter((one) => one.kind === kind).length;
  process.stdout.write(
    `${contract}: ${verdicts.length} of ${chosen.length} mutants in ${since(from)} s: ${count('killed')} killed, ${count('survived')} survived, ${count('inconclusive')} left inconclusive, ${count('not-reached')} not reached, ${count('endless')} endless, ${count('died')} died\n`,
  );
  if (values.write) {
    writeFileSync(FILE, mutationRecordText(joined(before, { contract, mutants, verdicts })));
  }
}

function since(from: number): number {
  return Math.round((performance.now() - from) / 1000);
}
