/** Starts a scripted backend in this thread or in a worker thread. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AddressError, listenOn, stop } from './address.ts';
import type { BackendControl } from './control.ts';
import { controlServer } from './control-server.ts';
import { EngineListener } from './engine-listener.ts';
import { LocalControl } from './local-control.ts';
import { ScriptRegistry } from './scripts.ts';

export interface BackendOptions {
  /** `host:port` each, port 0 for any free port. Several addresses distinguish agents. */
  readonly listen: readonly string[];
  /** `host:port` of the control port (default: no control port). */
  readonly control?: string | undefined;
  /** Token that callers of the control port must send; without it, only callers on this machine are allowed. */
  readonly token?: string | undefined;
  /** Ids that `GET /v1/models` lists. */
  readonly models?: readonly string[] | undefined;
}

/** A backend in this process. `close` stops it and closes all its connections. */
export interface ScriptedBackend extends BackendControl {
  /** URL of the control port, null without one. */
  readonly controlUrl: string | null;
}

const usualModels = ['scripted-chat', 'scripted-embedding', 'scripted-rerank'];

/**
 * Starts the backend and resolves once every address listens.
 * @throws {AddressError} if it cannot listen on an address; nothing keeps running then.
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

/** A backend that can be controlled only through its control port. */
export interface RunningBackend {
  readonly listeners: readonly string[];
  readonly controlUrl: string | null;
  close(): Promise<void>;
}

/** The only message of the thread: its addresses, or why it could not start. */
export type BackendThreadWord = Omit<RunningBackend, 'close'> | { readonly failure: string };

/** Starts a backend in a worker, or in this thread if not compiled: not every Node version loads TypeScript in a worker. */
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
