/** `plumbline serve`: a reference deployment alone, to write a client against or to try the suite on. */

import { Argument, type Command } from 'commander';
import type { Contract } from '../../../schemas/requirement.ts';
import { seedNumber, wholeNumber } from './numbers.ts';

const HIGHEST_PORT = 65_535;

interface ServeCommandOptions {
  readonly port: number;
  readonly seed?: number;
  readonly file?: string;
}

/** Adds `plumbline serve` to the program. What it does is loaded when it is called. */
export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run a conforming server on loopback, with everything that the suite can use')
    .addArgument(new Argument('<contract>', 'which server').choices(['compute', 'router']))
    .option(
      '--port <N>',
      'port on 127.0.0.1; any free one unless told',
      wholeNumber(0, HIGHEST_PORT),
      0,
    )
    .option('--seed <N>', 'seed of the example data (compute)', seedNumber)
    .option('--file <FILE>', 'write the target file there too')
    .action(async (contract: Contract, options: ServeCommandOptions) => {
      const [{ serveReference }, { untilEnded }] = await Promise.all([
        import('../serve-reference.ts'),
        import('../until-ended.ts'),
      ]);
      const serving = await serveReference(contract, options);
      console.log(serving.announcement);
      await untilEnded();
      await serving.close();
    });
}
