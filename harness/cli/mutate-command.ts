/** `npm run mutate [-- --contract compute --files compute/rules/ --write]`: runs the suite against mutants. */

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Option } from 'commander';
import { referenceOf } from '../contracts/index.ts';
import type { Contract } from '../../schemas/requirement.ts';
import {
  contractOption,
  contractsOf,
  contributorCommand,
  runsNumber,
  wholeNumber,
} from './commands/options.ts';
import { mutatedCopy } from '../proving/instrument.ts';
import { runMutants } from '../proving/run-mutants.ts';
import {
  isListed,
  joined,
  mutationPage,
  mutationRecordText,
  readMutationRecord,
  type Survivor,
  survivorVerdicts,
} from '../proving/survivors.ts';

interface MutateOptions {
  readonly contract?: Contract;
  readonly files: string;
  /** `true` selects every verdict. */
  readonly survivors?: true | Survivor['verdict'];
  readonly every: number;
  readonly minutes: number;
  readonly runs: number;
  readonly threads?: number;
  readonly write: boolean;
  readonly page: boolean;
}

const options = contributorCommand(
  'mutate',
  'Puts mutants of the reference deployments before the suite, and tells which of them live.',
)
  .addOption(contractOption())
  .option(
    '--files <BEGINNINGS>',
    'files whose names begin so, from harness/reference/; several with commas',
    '',
  )
  .addOption(
    new Option(
      '--survivors [VERDICT]',
      'only what docs/mutation-survivors.json lists, or those of one verdict of it',
    ).choices(survivorVerdicts),
  )
  .option('--every <N>', 'only each N-th mutant: an even sample', wholeNumber(1, 100_000), 1)
  .option('--minutes <N>', 'when to stop', wholeNumber(1, 10_000), 240)
  .option('--runs <N>', 'values that a property tries', runsNumber, 20)
  .option('--threads <N>', 'mutants under way at once; most only wait', wholeNumber(1, 1_000))
  .option('--write', 'write the list, where verdicts that people gave stay, and the page', false)
  .option('--page', 'try nothing, and only write docs/mutation.md anew', false)
  .parse()
  .opts<MutateOptions>();
const FILE = 'docs/mutation-survivors.json';
const PAGE = 'docs/mutation.md';
const contracts = contractsOf(options);
if (!options.page) {
  for (const contract of contracts) await mutate(contract);
}
if (options.page || options.write) {
  writeFileSync(PAGE, mutationPage(readMutationRecord(FILE), readFileSync(PAGE, 'utf8')));
}

async function mutate(contract: Contract): Promise<void> {
  const from = performance.now();
  const before = readMutationRecord(FILE);
  const { folder, mutants } = await mutatedCopy(contract);
  const listed = before.survivors.filter(
    ({ verdict }) => options.survivors === true || options.survivors === verdict,
  );
  const chosen = mutants
    .filter(({ file }) => options.files.split(',').some((beginning) => file.startsWith(beginning)))
    .filter((mutant) => options.survivors === undefined || isListed(mutant, listed))
    .filter((_, index) => index % options.every === 0);
  process.stderr.write(`${contract}: ${chosen.length} of ${mutants.length} mutants\n`);
  const { mutants: meant } = await referenceOf(contract);
  const threads = options.threads ?? meant.threads * availableParallelism();
  const verdicts = await runMutants(
    { folder, mutants: chosen },
    {
      contract,
      further: meant.further,
      runs: options.runs,
      threads,
      untilMs: from + options.minutes * 60_000,
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
  if (options.write) {
    writeFileSync(FILE, mutationRecordText(joined(before, { contract, mutants, verdicts })));
  }
}

function since(from: number): number {
  return Math.round((performance.now() - from) / 1000);
}
