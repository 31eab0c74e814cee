/** The options of `plumbline run`. What it does is loaded when it is called. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RunOptions } from '../run-options.ts';
import type { SetExitCode } from '../exit.ts';

import { runsNumber, seedNumber } from './numbers.ts';
import { collect, reporterOption } from './options.ts';

const USUAL_RUNS = 20;

/** Adds `plumbline run` to the program. */
export function registerRun(program: Command, setExitCode: SetExitCode): void {
  program
    .command('run')
    .description('run the suite against deployments, and write the report')
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
    .option('--runs <N>', 'values that a property tries', runsNumber, USUAL_RUNS)
    .addOption(
      new Option('--depth <LEVEL>', 'thorough: waits a minute for what has no stated time')
        .choices(['standard', 'thorough'])
        .default('standard'),
    )
    .option('--out <DIR>', 'folder of the report', 'conformance-report')
    .option('--strict', 'broken implied requirements fail the run too', false)
    .option('--deviations <FILE>', 'known deviations, each with reason and expiry')
    .option('--shard <I/N>', 'run part I of N, to be merged later', shard)
    .addOption(reporterOption().default(['html']))
    .option('--json', 'print the result on stdout, progress on stderr', false)
    .action(async (files: readonly string[], options: RunOptions) => {
      const { run } = await import('../run.ts');
      setExitCode(await run(files, options));
    });
}

function shard(value: string): { index: number; count: number } {
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/u.exec(value) ?? []).map(Number);
  if (index < 1 || index > count || count > 1_000) {
    throw new InvalidArgumentError('It must be I/N with I from 1 to N, as in 2/5.');
  }
  return { index, count };
}
