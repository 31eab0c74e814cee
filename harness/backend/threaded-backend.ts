/** A scripted backend in a thread of its own, as engines are not in the process of their router. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { AddressError } from './address.ts';
import { type BackendOptions, startScriptedBackend } from './scripted-backend.ts';

/** A backend that only its control port reaches. */
export interface RunningBackend {
  /** Base URLs of the listeners, without `/v1`. */
  readonly listeners: readonly string[];
  /** URL of the control port, null without one. */
  readonly controlUrl: string | null;
  close(): Promise<void>;
}

/** What the thread says once: where it listens, or why it does not. */
export type BackendThreadWord = Omit<RunningBackend, 'close'> | { readonly failure: string };

/** Node loads no TypeScript in a thread, in every version: what is not compiled runs here. */
export async function startBackendThread(options: BackendOptions): Promise<RunningBackend> {
  if (!import.meta.url.endsWith('.js')) return startScriptedBackend(options);
  const worker = new Worker(new URL('./backend-thread.js', import.meta.url), {
    workerData: options,
  });
  const [word]: readonly BackendThreadWord[] = await once(worker, 'message');
  if (word === undefined || 'failure' in word) {
    await worker.terminate();
    throw new AddressError(word?.failure ?? 'The thread of the scripted backend said nothing.');
  }
  return {
    ...word,
    close: async () => {
      const ended = once(worker, 'exit');
      worker.postMessage('close');
      await ended;
    },
  };
}
