/** `plumbline backend`: the scripted engine alone, for the agents of a router elsewhere. */

import type { Command } from 'commander';

interface BackendCommandOptions {
  readonly listen: readonly string[];
  readonly control: string;
}

/** Adds `plumbline backend` to the program. What it does is loaded when it is called. */
export function registerBackend(program: Command): void {
  program
    .command('backend')
    .description('run the scripted inference engine for the agents of a router')
    .option(
      '--listen <ADDRESS...>',
      'host:port where agents find the engine; several tell agents apart',
      ['127.0.0.1:9100'],
    )
    .option('--control <ADDRESS>', 'host:port where the suite steers it', '127.0.0.1:9190')
    .addHelpText(
      'after',
      '\nThe control port answers its own machine only, unless PLUMBLINE_CONTROL_TOKEN is set: then whoever gives that token.',
    )
    .action(async ({ listen, control }: BackendCommandOptions) => {
      const [{ serveBackend }, { untilEnded }] = await Promise.all([
        import('../serve-backend.ts'),
        import('../until-ended.ts'),
      ]);
      const backend = await serveBackend({
        listen,
        control,
        token: process.env['PLUMBLINE_CONTROL_TOKEN'],
      });
      console.log(backend.announcement);
      await untilEnded();
      await backend.close();
    });
}
