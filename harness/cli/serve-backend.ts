/** Starts the scripted engine and says how to use it. */

import { AddressError } from '../backend/address.ts';
import { startScriptedBackend } from '../backend/scripted-backend.ts';
import { CommandFailure, exitCodes } from './exit.ts';

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
