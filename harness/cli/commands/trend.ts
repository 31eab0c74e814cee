/** The options of `plumbline trend`. What it does is loaded when it is called. */

import type { Command } from 'commander';
import type { SetExitCode } from '../exit.ts';

/** Adds `plumbline trend` to the program. */
export function registerTrend(program: Command, setExitCode: SetExitCode): void {
  program
    .command('trend')
    .description('draw the history of many results as one page')
    .argument('<DIR>', 'folder with results, in any subfolders')
    .option('--out <FILE>', 'the page', 'trend.html')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline run staging.yaml --out nightly/$(date -I)\n  plumbline trend nightly',
    )
    .action(async (folder: string, options: { readonly out: string }) => {
      const { trend } = await import('../trend-results.ts');
      setExitCode(trend(folder, options));
    });
}
