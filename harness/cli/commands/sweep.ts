/** `plumbline sweep`: removes what a run that was killed left on a deployment. */

import type { Command } from 'commander';
import type { SetExitCode } from '../exit.ts';

/** Adds `plumbline sweep` to the program. What it does is loaded when it is called. */
export function registerSweep(program: Command, setExitCode: SetExitCode): void {
  program
    .command('sweep')
    .description('remove instances that earlier runs made and could not remove')
    .argument('[TARGET...]', 'target files, for their keys; without any, it lists what is left')
    .addHelpText(
      'after',
      '\nIt reads .plumbline/journal.ndjson of this folder, where runs write down what they make.' +
        '\nIt exits with 0 when nothing is left, 3 when something is.',
    )
    .action(async (files: readonly string[]) => {
      const { sweep } = await import('../sweep.ts');
      setExitCode(await sweep(files));
    });
}
