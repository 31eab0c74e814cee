/** `plumbline backend`: runs the scripted inference engine alone. */

import type { Command } from 'commander';
import { untilEnded } from '../exit.ts';
import { startScriptedBackend } from '../../backend/scripted-backend.ts';

interface BackendCommandOptions {
  readonly listen: readonly string[];
  readonly control: string;
}

/** Adds the options and the action of `plumbline backend`. */
export function register(command: Command): void {
  command
    .option(
      '--listen <ADDRESS...>',
      'host:port where agents find the engine; several tell agents apart',
      ['127.0.0.1:9100', '127.0.0.1:9101'],
    )
    .option('--control <ADDRESS>', 'host:port where the suite steers it', '127.0.0.1:9190')
    .addHelpText(
      'after',
      '\nThe control port answers its own machine only, unless PLUMBLINE_CONTROL_TOKEN is set: then whoever gives that token.',
    )
    .action(async ({ listen, control }: BackendCommandOptions) => {
      const token = process.env['PLUMBLINE_CONTROL_TOKEN'] ?? '';
      const secured = token === '' ? {} : { token };
      const backend = await startScriptedBackend({ listen, control, ...secured });
      const [engine = ''] = backend.listeners;
      const lines = [
        'The scripted engine answers at',
        ...backend.listeners.map((url) => `  ${url}`),
        'Point the agents of the router there. In its target file write',
        `  backend: { control: ${backend.controlUrl ?? ''} }`,
        'Try it:',
        `  curl ${engine}/v1/models`,
        `  curl ${engine}/v1/chat/completions -H 'content-type: application/json' -d '{"model":"scripted-chat","messages":[{"role":"user","content":"hello"}]}'`,
        'Ctrl-C ends it.',
      ];
      console.log(lines.join('\n'));
      await untilEnded();
      await backend.close();
    });
}
