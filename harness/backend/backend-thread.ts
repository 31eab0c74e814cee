/** The worker thread of a scripted backend: starts it, reports its addresses, and stops it on request. */

import { parentPort, workerData } from 'node:worker_threads';
import {
  type BackendOptions,
  type BackendThreadWord,
  startScriptedBackend,
} from './scripted-backend.ts';

const options: BackendOptions = workerData;

function say(word: BackendThreadWord): void {
  parentPort?.postMessage(word);
}

try {
  const backend = await startScriptedBackend(options);
  parentPort?.once('message', () => void backend.close());
  say({ listeners: backend.listeners, controlUrl: backend.controlUrl });
} catch (error) {
  say({ failure: error instanceof Error ? error.message : String(error) });
}
