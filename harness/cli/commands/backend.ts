/** `plumbline backend`: the scripted inference engine alone. */

import type { Command } from 'commander';
import { CommandFailure, exitCodes, untilEnded } from '../exit.ts';
import { AddressError } from '../../backend/address.ts';
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
      ['127.0.0.1:9100'],
    )
    .option('--control <ADDRESS>', 'host:port where the suite steers it', '127.0.0.1:9190')
    .addHelpText(
      'after',
      '\nThe control port answers its own machine only, unless PLUMBLINE_CONTROL_TOKEN is set: then whoever gives that token.',
    )
    .action(async ({ listen, control }: BackendCommandOptions) => {
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

/** Something that runs until it is closed, and what to tell the user of it. */
export interface Serving {
  readonly announcement: string;
  close(): Promise<void>;
}

export interface BackendAddresses {
  readonly listen: readonly string[];
  readonly control: string;
  /** What callers of the control port must give; an empty one counts as none. */
  readonly token?: string | undefined;
}

/** Throws `CommandFailure` when an address cannot be listened on. */
export async function serveBackend({ listen, control, token }: BackendAddresses): Promise<Serving> {
  const backend = await startScriptedBackend({
    listen,
    control,
    ...(token === undefined || token === '' ? {} : { token }),
  }).catch((error: unknown) => {
    if (error instanceof AddressError) throw new CommandFailure(error.message, exitCodes.usage);
    throw error;
  });
  const [engine = ''] = backend.listeners;
  return {
    announcement: [
      'The scripted engine answers at',
      ...backend.listeners.map((url) => `  ${url}`),
      'Point the agents of the router there. In its target file write',
      `  backend: { control: ${backend.controlUrl ?? ''} }`,
      'Try it:',
      `  curl ${engine}/v1/models`,
      `  curl ${engine}/v1/chat/completions -H 'content-type: application/json' -d '{"model":"scripted-chat","messages":[{"role":"user","content":"hello"}]}'`,
      'Ctrl-C ends it.',
    ].join('\n'),
    close: () => backend.close(),
  };
}
