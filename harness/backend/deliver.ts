/** Carries out the steps of an answer on a real connection. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';

import type { Step } from './delivery.ts';

/** Resolves when the hold is over; rejects when the signal is aborted. */
export type Hold = (signal: AbortSignal) => Promise<void>;

/**
 * Sends an answer step by step, each write on its own so that chunk boundaries reach the wire.
 * `onDrop` is called right before the backend itself ends the connection.
 * Stops silently when the signal says that the client went away.
 */
export async function deliver(
  steps: readonly Step[],
  response: ServerResponse,
  socket: Socket,
  signal: AbortSignal,
  hold: Hold,
  onDrop: () => void,
): Promise<void> {
  try {
    for (const [index, step] of steps.entries()) {
      if (signal.aborted) return;
      const next = steps[index + 1];
      if (step.do === 'write' && next?.do === 'finish' && !next.close) {
        // The common case: the last bytes and the end in one go.
        response.end(step.bytes);
        return;
      }
      await take(step, response, socket, signal, hold, onDrop);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function take(
  step: Step,
  response: ServerResponse,
  socket: Socket,
  signal: AbortSignal,
  hold: Hold,
  onDrop: () => void,
): Promise<void> {
  switch (step.do) {
    case 'wait':
      if (response.headersSent) response.flushHeaders();
      await sleep(step.ms, undefined, { signal });
      return;
    case 'hold':
      if (response.headersSent) response.flushHeaders();
      await hold(signal);
      return;
    case 'head':
      response.writeHead(step.status, [...step.headers]);
      return;
    case 'write':
      await written(response, step.bytes);
      return;
    case 'finish':
      if (step.close) {
        response.flushHeaders();
        await flushed(socket);
        onDrop();
        socket.destroySoon();
      } else {
        response.end();
      }
      return;
    case 'drop':
      if (response.headersSent) response.flushHeaders();
      await flushed(socket);
      if (step.how === 'reset' && response.headersSent) await settle(signal);
      onDrop();
      if (step.how === 'reset') socket.resetAndDestroy();
      else socket.destroySoon();
  }
}

/** How long a peer gets to read what was sent before a reset. */
const settleMs = 25;

/**
 * Many clients, all on libuv among them, report a reset that arrives together with unread bytes as an orderly end, so the bytes go ahead.
 * The extra round lets a peer in this very process read first, however late the timer is.
 */
async function settle(signal: AbortSignal): Promise<void> {
  await sleep(settleMs, undefined, { signal });
  await nextRound();
}

/** Once the bytes are with the operating system; never, if the connection ends before (the signal tells). */
async function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    response.write(bytes, () => resolve());
  });
}

/** Writes come out in order, so an empty one is called back after all before it. */
async function flushed(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.write('', () => resolve());
  });
}
