/** Waiting for what no event tells. */

import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks. */
const LOOK_EVERY_MS = 10;

/** Resolves once the condition holds. @throws the reason of an abort */
export async function sleepUntil(condition: () => boolean, signal: AbortSignal): Promise<void> {
  while (!condition()) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}
