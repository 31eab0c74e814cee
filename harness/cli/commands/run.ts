/** The options of `plumbline run`. What it does is loaded when it is called. */

import { run } from '../run.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RunOptions } from '../run-options.ts';
import type { SetExitCode } from '../exit.ts';

import { collect, percentNumber, reporterOption, runsNumber, seedNumber } from './options.ts';

/** Values that a property tries. */
const depths = { quick: 5, standard: 20, thorough: 100 } as const;

type GivenOptions = Omit<RunOptions, 'runs'> & {
  readonly runs?: number;
};

/** Adds the options and the action of `plumbline run`. */
export function register(command: Command, setExitCode: SetExitCode): void {
  command
    .argument(
      '[TARGET...]',
      'target files; without any, the built-in reference deployments are run',
    )
    .option(
      '--only <ID-PREFIX>',
      'only requirements with this id or prefix (repeatable)',
      collect,
      [],
    )
    .option('--section <NAME>', 'only the requirements of one section')
    .option('--profile <NAME>', 'only the requirements of one profile')
    .option(
      '--seed <N>',
      'seed of everything random; drawn and reported when not given',
      seedNumber,
    )
    .addOption(
      new Option(
        '--depth <NAME>',
        'how many values a property tries: 5, 20 or 100; thorough waits a minute for what has no stated time',
      )
        .choices(Object.keys(depths))
        .default('standard'),
    )
    .option('--runs <N>', 'values that a property tries, as a number', runsNumber)
    .option('--out <DIR>', 'folder of the report', 'conformance-report')
    .option('--strict', 'broken implied requirements fail the run too', false)
    .option(
      '--decided <PERCENT>',
      'share of the stated requirements that the target file lets a run exercise which must be decided',
      percentNumber,
      90,
    )
    .option('--deviations <FILE>', 'known deviations, each with reason and expiry')
    .option('--shard <I/N>', 'run part I of N, to be merged later', shard)
    .addOption(reporterOption().default(['html']))
    .option('--json', 'print the result on stdout, progress on stderr', false)
    .addHelpText(
      'after',
      `
Exit codes: 0 conforms, 1 violates the contract, 2 usage or target file, 3 not reachable, 4 the suite failed,
5 undecided: nothing broken was seen, and too little was decided (see --decided), 130 interrupted.
Where nothing was exercised it is never 0.`,
    )
    .action(async (files: readonly string[], options: GivenOptions) => {
      setExitCode(await run(files, { runs: depths[options.depth], ...options }));
    });
}

function shard(value: string): { index: number; count: number } {
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/u.exec(value) ?? []).map(Number);
  if (index < 1 || index > count || count > 1_000) {
    throw new InvalidArgumentError('It must be I/N with I from 1 to N, as in 2/5.');
  }
  return { index, count };
}
