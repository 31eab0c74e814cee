/** `plumbline check`: does the target file fit the deployment? */

import type { Command } from 'commander';
import type { SetExitCode } from '../exit.ts';

interface CheckCommandOptions {
  readonly json: boolean;
}

/** Adds `plumbline check` to the program. What it does is loaded when it is called. */
export function registerCheck(program: Command, setExitCode: SetExitCode): void {
  program
    .command('check')
    .description('try a target file against its deployment, with reads alone, before a run')
    .argument('<TARGET...>', 'target files')
    .option('--json', 'print what was found as JSON', false)
    .addHelpText(
      'after',
      '\nIt exits with 0 when all fits, 2 when a line of the file does not, 3 when the host or a key does not let it in.',
    )
    .action(async (files: readonly string[], options: CheckCommandOptions) => {
      const { check } = await import('../check.ts');
      setExitCode(await check(files, options));
    });
}
