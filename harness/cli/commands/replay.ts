/** `plumbline replay`: one broken requirement of a result, once more. */

import type { Command } from 'commander';
import type { SetExitCode } from '../exit.ts';
import { reporterOption } from './options.ts';

import type { ReplayOptions } from '../replay.ts';

/** Adds `plumbline replay` to the program. What it does is loaded when it is called. */
export function registerReplay(program: Command, setExitCode: SetExitCode): void {
  program
    .command('replay')
    .description('judge one broken requirement of a result again, with its seed and counterexample')
    .argument('<RESULT>', 'conformance.json of a run')
    .argument('<ID>', 'the requirement')
    .option('--target <FILE>', 'another deployment; the one of the result unless told')
    .option('--out <DIR>', 'folder of the report', 'conformance-replay')
    .addOption(reporterOption().default(['html']))
    .option('--strict', 'a broken implied requirement fails too', false)
    .option('--json', 'print the result on stdout, progress on stderr', false)
    .addHelpText(
      'after',
      '\nIt exits as a run does: 1 when the requirement is still broken, 0 when it holds now.\n\nExample:\n  plumbline replay conformance-report/conformance.json compute.pagination.walk-ends --target fixed.yaml',
    )
    .action(async (result: string, id: string, options: ReplayOptions) => {
      const { replay } = await import('../replay.ts');
      setExitCode(await replay(result, id, options));
    });
}
