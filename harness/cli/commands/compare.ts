/** The options of `plumbline compare`. What it does is loaded when it is called. */

import { type Command, Option } from 'commander';
import type { SetExitCode } from '../exit.ts';

import type { CompareOptions } from '../compare-results.ts';
import { wholeNumber } from './numbers.ts';

const MAX_REPEATS = 100;

/** Adds `plumbline compare` to the program. */
export function registerCompare(program: Command, setExitCode: SetExitCode): void {
  program
    .command('compare')
    .description('say what broke, healed, appeared and went between two results, and why')
    .argument('<BEFORE>', 'conformance.json of the earlier run')
    .argument('<AFTER...>', 'of the later run; several of one deployment tell what is unstable')
    .option('--strict', 'exit 1 for broken implied requirements too', false)
    .addOption(
      new Option(
        '--repeat <N>',
        'run what changed N more times, to tell what is unstable',
      ).argParser(wholeNumber(1, MAX_REPEATS)),
    )
    .addOption(new Option('--json', 'the comparison as JSON').conflicts('markdown'))
    .addOption(new Option('--markdown', 'the comparison as Markdown').conflicts('json'))
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing broke, 1 something broke, 2 usage or unreadable results.\n\nExample:\n  plumbline compare last-release.json conformance-report/conformance.json --markdown',
    )
    .action(async (before: string, after: readonly string[], options: CompareOptions) => {
      const { compare } = await import('../compare-results.ts');
      setExitCode(await compare(before, after, options));
    });
}
