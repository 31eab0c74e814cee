/** Starts the thread that runs the suites, and tells it to end: the cancel of Vitest reaches its threads too late. */

import { setFlagsFromString } from 'node:v8';
import { BroadcastChannel } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import type { Reporter, Vitest } from 'vitest/node';
import type { RunPlan } from './selection.ts';

/** What ends a run; everything else that is said asks whether it has ended. */
const END = 'end';

/** For the caller that started the run: ends it once the signal fires, also threads that begin to listen later. */
export function announceEnd(runId: string, signal: AbortSignal): { close(): void } {
  const channel = open(runId);
  const say = (): void => channel.postMessage(END);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- this kind of channel is declared without
  channel.onmessage = () => {
    if (signal.aborted) say();
  };
  signal.addEventListener('abort', say, { once: true });
  return {
    close: () => {
      signal.removeEventListener('abort', say);
      channel.close();
    },
  };
}

/** For the thread that runs the suites: a signal that fires when the run is to end. */
export function listenForEnd(runId: string): AbortSignal {
  const ending = new AbortController();
  const channel = open(runId);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- this kind of channel is declared without
  channel.onmessage = (event) => {
    if (!isEnd(event)) return;
    ending.abort(new Error('the run was interrupted'));
    channel.close();
  };
  channel.postMessage('listening');
  return ending.signal;
}

function open(runId: string): BroadcastChannel {
  const channel = new BroadcastChannel(`plumbline:${runId}`);
  channel.unref();
  return channel;
}

function isEnd(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'data' in event && event.data === END;
}

/** The folder that holds `suites/` and `harness/`, compiled. */
const compiled = fileURLToPath(new URL('../../', import.meta.url));

export interface VitestRun {
  readonly plan: RunPlan;
  readonly reporters: readonly Reporter[];
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Prepares Vitest. All sections load as one file, which is several times faster than a file each. */
export async function prepareVitest(run: VitestRun): Promise<Vitest> {
  // Unless told, the heap grows to four times what is in use before it is cleared: beyond 512 MB, where answers are large.
  setFlagsFromString('--heap-growing-percent=50');
  // Loaded here: a few tenths of a second that the first request does not wait for.
  const { createVitest } = await import('vitest/node');
  const own = SIGNALS.map((name) => [name, process.listeners(name)] as const);
  const vitest = await createVitest(
    'test',
    {
      root: compiled,
      config: false,
      watch: false,
      include: ['bundle/suites/run.js'],
      reporters: [...run.reporters],
      provide: { plumbline: run.plan },
      pool: 'threads',
      isolate: false,
      maxWorkers: 1,
      sequence: { concurrent: true },
      maxConcurrency: 10_000,
      testTimeout: 0,
      hookTimeout: 120_000,
      teardownTimeout: 120_000,
      passWithNoTests: true,
      // The bundle is plain modules of Node: nothing in it is to be transformed.
      server: { deps: { external: [/\/bundle\/suites\/[^/]+\.js$/u] } },
    },
    { logLevel: 'silent' },
  );
  // Vitest ends the process a millisecond after a signal, without teardown; what we made must be removed first.
  for (const [name, kept] of own) {
    for (const listener of process.listeners(name)) {
      if (!kept.includes(listener)) process.off(name, listener);
    }
  }
  return vitest;
}
