/** `plumbline init`: a first target file, with what the deployment shows of itself. */

import { type Command, Option } from 'commander';
import type { SetExitCode } from '../exit.ts';

import type { InitOptions } from '../init-questions.ts';

/** Adds `plumbline init` to the program. What it does is loaded when it is called. */
export function registerInit(program: Command, setExitCode: SetExitCode): void {
  program
    .command('init')
    .description('write a commented target file, with what reads alone find out')
    .addOption(new Option('--contract <NAME>', 'what it serves').choices(['compute', 'router']))
    .option('--base-url <URL>', 'where it is: compute ends in /v1, a router goes without')
    .option('--key-env <NAME>', 'environment variable that holds a key')
    .option('--out <FILE>', 'where to write; - for stdout', 'target.yaml')
    .option('--force', 'write over a file that is there', false)
    .addHelpText(
      'after',
      '\nOn a terminal it asks for what is left out.\n\nExample:\n  plumbline init --contract compute --base-url https://compute.example.com/v1 --key-env COMPUTE_KEY --out staging.yaml',
    )
    .action(async (options: InitOptions) => {
      const { init } = await import('../init.ts');
      setExitCode(await init(options));
    });
}
