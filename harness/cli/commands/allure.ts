/** The options of `plumbline allure`. What it does is loaded when it is called. */

import type { Command } from 'commander';
import type { SetExitCode } from '../exit.ts';

/** Adds `plumbline allure` to the program. */
export function registerAllure(program: Command, setExitCode: SetExitCode): void {
  program
    .command('allure')
    .description('build the Allure report of a result, without the visitor counter in it')
    .argument('<FILE>', 'conformance.json of a run')
    .option('--out <DIR>', 'folder of the Allure report', 'allure-report')
    .addHelpText('after', '\nAllure is no part of plumbline: npx fetches it the first time.')
    .action(async (file: string, options: { readonly out: string }) => {
      const { buildAllure } = await import('../build-allure.ts');
      setExitCode(await buildAllure(file, options.out));
    });
}
