/** The options of `plumbline merge`. What it does is loaded when it is called. */

import type { Command } from 'commander';
import type { SetExitCode } from '../exit.ts';
import { percentNumber } from './numbers.ts';
import { reporterOption } from './options.ts';
import type { MergeOptions } from '../merge-shards.ts';

/** Adds `plumbline merge` to the program. */
export function registerMerge(program: Command, setExitCode: SetExitCode): void {
  program
    .command('merge')
    .description('make one report of the shards of a run; exits as that run would have')
    .argument('<FILE...>', 'conformance.json of each shard, in any order')
    .option('--out <DIR>', 'folder of the merged report', 'conformance-report')
    .addOption(reporterOption().default(['html']))
    .option('--strict', 'broken implied requirements fail too', false)
    .option(
      '--decided <PERCENT>',
      'share of the stated requirements that must be decided; that of the shards unless told',
      percentNumber,
    )
    .option('--json', 'print the result on stdout', false)
    .addHelpText(
      'after',
      '\nExample:\n  plumbline run staging.yaml --seed 7 --shard 1/2 --out one\n  plumbline run staging.yaml --seed 7 --shard 2/2 --out two\n  plumbline merge one/conformance.json two/conformance.json --out whole',
    )
    .action(async (files: readonly string[], options: MergeOptions) => {
      const { merge } = await import('../merge-shards.ts');
      setExitCode(await merge(files, options));
    });
}
