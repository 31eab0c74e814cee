/** A scripted backend, in this thread or one of its own. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AddressError, listenOn, stop } from './address.ts';
import type { BackendControl } from './control.ts';
import { controlServer } from './control-server.ts';
import { EngineListener } from './engine-listener.ts';
import { LocalControl } from './local-control.ts';
import { ScriptRegistry } from './scripts.ts';

export interface BackendOptions {
  /** `host:port` each; port 0 for any free one. Several tell agents apart. */
  readonly listen: readonly string[];
  /** `host:port` of the control port; none unless told. */
  readonly control?: string | undefined;
  /** What callers of the control port must give; without it only callers on this machine are answered. */
  readonly token?: string | undefined;
  /** Ids that `GET /v1/models` lists. */
  readonly models?: readonly string[] | undefined;
}

/** A backend in this process. `close` ends it with all its connections. */
export interface ScriptedBackend extends BackendControl {
  /** URL of the control port, null without one. */
  readonly controlUrl: string | null;
}

const usualModels = ['scripted-chat', 'scripted-embedding', 'scripted-rerank'];

/**
 * Starts the backend and resolves once every address listens.
 * @throws {AddressError} if an address cannot be listened on; nothing is left running then.
 */
export async function startScriptedBackend(options: BackendOptions): Promise<ScriptedBackend> {
  const registry = new ScriptRegistry();
  const engines = options.listen.map(
    () => new EngineListener(registry, options.models ?? usualModels),
  );
  const control = new LocalControl(registry, engines, close);
  const controlPort =
    options.control === undefined ? undefined : controlServer(control, options.token);
  let controlUrl: string | null = null;

  async function close(): Promise<void> {
    registry.close();
    await Promise.all([
      ...engines.map(async (engine) => engine.close()),
      controlPort && stop(controlPort),
    ]);
  }

  try {
    for (const [i, engine] of engines.entries()) await engine.listen(options.listen[i] ?? '');
    if (controlPort) controlUrl = await listenOn(controlPort, options.control ?? '');
  } catch (error) {
    await close();
    throw error;
  }
  return Object.assign(control, { controlUrl });
}

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
