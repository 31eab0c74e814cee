/** Starts the thread that runs the suites and tells it to end, since Vitest's cancel reaches its threads too late. */

import { setFlagsFromString } from 'node:v8';
import { BroadcastChannel } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import type { Reporter, Vitest } from 'vitest/node';
import { endOf, RunEnded } from './case.ts';
import type { RunPlan } from './selection.ts';

/** The messages that end a run, whose text says why; any other message asks whether the run has ended. */
const END = 'end: ';

/** For the thread that starts the run: ends it once the signal fires, also for threads that begin to listen later. */
export function announceEnd(runId: string, signal: AbortSignal): { close(): void } {
  const channel = open(runId);
  const say = (): void => channel.postMessage(`${END}${endOf(signal)}`);
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

/** For the thread that runs the suites: a signal that fires when the run must end. */
export function listenForEnd(runId: string): AbortSignal {
  const ending = new AbortController();
  const channel = open(runId);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- this kind of channel is declared without
  channel.onmessage = (event) => {
    const why = endIn(event);
    if (why === undefined) return;
    ending.abort(new RunEnded(why));
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

/** Why the run ends, as a message says; undefined for any other message. */
function endIn(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null || !('data' in event)) return undefined;
  return String(event.data).split(END, 2)[1];
}

/** The folder of the compiled `suites/` and `harness/`. */
const compiled = fileURLToPath(new URL('../../', import.meta.url));

export interface VitestRun {
  readonly plan: RunPlan;
  readonly reporters: readonly Reporter[];
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Prepares Vitest. All sections load as one file, which is several times faster than one file each. */
export async function prepareVitest(run: VitestRun): Promise<Vitest> {
  // By default V8 lets the heap grow to four times its live size before a collection: over 512 MB with large responses.
  setFlagsFromString('--heap-growing-percent=50');
  // Imported here, so that the first request does not wait the few tenths of a second that it takes.
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
      // The bundle consists of plain Node modules, which need no transform.
      server: { deps: { external: [/\/bundle\/suites\/[^/]+\.js$/u] } },
    },
    { logLevel: 'silent' },
  );
  // Vitest ends the process a millisecond after a signal, without teardown, but the run must first remove what it made.
  for (const [name, kept] of own) {
    for (const listener of process.listeners(name)) {
      if (!kept.includes(listener)) process.off(name, listener);
    }
  }
  return vitest;
}
