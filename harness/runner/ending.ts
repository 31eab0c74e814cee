/**
 * Tells the thread that runs the suites to end. Vitest's own cancel reaches its threads too late: cases would
 * go on to ask the target for seconds after the user had said stop.
 */

import { BroadcastChannel } from 'node:worker_threads';

type Word = 'listening' | 'end';

/** For whoever started the run: ends it once the signal fires, also threads that begin to listen later. */
export function announceEnd(runId: string, signal: AbortSignal): { close(): void } {
  const channel = open(runId);
  const say = (): void => {
    const word: Word = 'end';
    channel.postMessage(word);
  };
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
  const word: Word = 'listening';
  channel.postMessage(word);
  return ending.signal;
}

function open(runId: string): BroadcastChannel {
  const channel = new BroadcastChannel(`plumbline:${runId}`);
  channel.unref();
  return channel;
}

function isEnd(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'data' in event && event.data === 'end';
}
