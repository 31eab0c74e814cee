/** Delivers a response: in pieces, held at a gate, cut short or dropped. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, Delivery, Ending, Place } from './behaviour.ts';
import { has, type Reply } from './engine/reply.ts';

export class Gate {
  #passes = 0;
  readonly #waiting = new Set<() => void>();

  get held(): number {
    return this.#waiting.size;
  }

  /** Lets the next `count` requests pass in order of arrival, including future ones (default: all from now on). */
  release(count = Number.POSITIVE_INFINITY): void {
    this.#passes += count;
    for (const pass of this.#waiting) {
      if (this.#passes < 1) return;
      this.#passes -= 1;
      this.#waiting.delete(pass);
      pass();
    }
  }

  /** Resolves when released; rejects with the signal's reason. Calls `onChange` when the wait starts and ends. */
  async wait(signal: AbortSignal, onChange: () => void): Promise<void> {
    signal.throwIfAborted();
    if (this.#passes >= 1) {
      this.#passes -= 1;
      return;
    }
    let leave = (): void => {};
    try {
      await new Promise<void>((pass, fail) => {
        leave = () => {
          this.#waiting.delete(pass);
          fail(signal.reason);
        };
        this.#waiting.add(pass);
        signal.addEventListener('abort', leave, { once: true });
        onChange();
      });
    } finally {
      signal.removeEventListener('abort', leave);
      onChange();
    }
  }
}

/** One step of a delivery. `finish` ends the response properly; `drop` ends the connection. */
export type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'hold' }
  | { readonly do: 'head'; readonly status: number; readonly headers: readonly string[] }
  | { readonly do: 'write'; readonly bytes: Buffer }
  | { readonly do: 'finish' }
  | { readonly do: 'drop'; readonly how: Ending };

/** The delivery options of a behaviour; `drop` interrupts an ordinary response. */
export function deliveryOf(behaviour: Behaviour): Delivery {
  if (behaviour.kind !== 'drop') return behaviour;
  return { drop: { at: behaviour.at ?? 'before-head', how: behaviour.how } };
}

/** The steps of one response, including its end. */
export function planDelivery(reply: Reply, delivery: Delivery): readonly Step[] {
  const chunked = (delivery.framing ?? (reply.eventEnds ? 'chunked' : 'length')) === 'chunked';
  const place = (at: Place | undefined) =>
    at === undefined ? undefined : offsetOf(at, reply, chunked);
  const hold = place(delivery.hold);
  const drop = place(delivery.drop?.at);
  const steps: Step[] = [];

  /** Adds the hold and drop at an offset of the body; true if the connection ends there. */
  const stop = (offset: number): boolean => {
    if (hold === offset) steps.push({ do: 'hold' });
    if (drop !== offset) return false;
    steps.push({ do: 'drop', how: delivery.drop?.how ?? 'close' });
    return true;
  };

  if (delivery.delayHeadMs !== undefined) steps.push({ do: 'wait', ms: delivery.delayHeadMs });
  if (stop(beforeHead)) return steps;
  steps.push({ do: 'head', status: reply.status, headers: headOf(reply, chunked) });
  if (stop(0)) return steps;

  const ends = delivery.splitAt ?? reply.eventEnds ?? [];
  const chunks = new Set(ends.filter((at) => at < reply.body.length));
  const cuts = new Set([...chunks, reply.body.length, hold ?? 0, drop ?? 0].filter((at) => at > 0));
  let from = 0;
  for (const to of [...cuts].toSorted((a, b) => a - b)) {
    if (delivery.delayChunkMs !== undefined && chunks.has(from)) {
      steps.push({ do: 'wait', ms: delivery.delayChunkMs });
    }
    steps.push({ do: 'write', bytes: reply.body.subarray(from, to) });
    if (stop(to)) return steps;
    from = to;
  }
  steps.push({ do: 'finish' });
  return steps;
}

const beforeHead = -1;

/** The number of body bytes that have been sent at a point; -1 is before the head. */
function offsetOf(place: Place, reply: Reply, chunked: boolean): number {
  const { length } = reply.body;
  // A chunked body is incomplete until its last chunk; a body with a declared length is so only while a byte is missing.
  const last = chunked ? length : Math.max(0, length - 1);
  if (place === 'before-head') return beforeHead;
  if (place === 'after-head') return 0;
  if (place === 'before-end') return last;
  const ends = [0, ...(reply.eventEnds ?? [])];
  if ('insideEvent' in place) {
    const start = ends[place.insideEvent];
    const end = ends[place.insideEvent + 1];
    if (start === undefined || end === undefined) return last;
    return Math.min(start + (place.afterBytes ?? Math.floor((end - start) / 2)), end - 1);
  }
  const offset =
    'afterBytes' in place
      ? place.afterBytes
      : reply.eventEnds
        ? ends[place.afterEvents]
        : undefined;
  return Math.min(offset ?? last, last);
}

function headOf(reply: Reply, chunked: boolean): readonly string[] {
  const headers = reply.headers.flat();
  const lengthHeader =
    has(reply.headers, 'content-length') || has(reply.headers, 'transfer-encoding');
  const bodyless = reply.status === 204 || reply.status === 304;
  if (lengthHeader || bodyless) return headers;
  return chunked
    ? [...headers, 'transfer-encoding', 'chunked']
    : [...headers, 'content-length', String(reply.body.length)];
}

interface Delivering {
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Aborted when the client leaves, which ends the delivery silently. */
  readonly signal: AbortSignal;
  /** Resolves when a hold ends; rejects when the signal aborts. */
  readonly hold: (signal: AbortSignal) => Promise<void>;
  /** Called right before the backend ends the connection. */
  readonly onDrop: () => void;
}

/** Sends a response step by step, each write separately, so that chunk boundaries reach the wire. */
export async function deliver(steps: readonly Step[], delivering: Delivering): Promise<void> {
  const { response, signal } = delivering;
  try {
    for (const [index, step] of steps.entries()) {
      if (signal.aborted) return;
      if (step.do === 'write' && steps[index + 1]?.do === 'finish') {
        // The common case: one call sends the last bytes and the end.
        response.end(step.bytes);
        return;
      }
      await take(step, delivering);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function take(
  step: Step,
  { response, socket, signal, hold, onDrop }: Delivering,
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
      response.end();
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

/** Milliseconds that the peer gets to read the sent bytes before a reset. */
const settleMs = 25;

/**
 * Waits between the last bytes and a reset: many clients, including all on libuv, report a reset that arrives with unread
 * bytes as an orderly end. The extra turn of the event loop lets a client in this process read first.
 */
async function settle(signal: AbortSignal): Promise<void> {
  await sleep(settleMs, undefined, { signal });
  await nextRound();
}

/** Resolves once the operating system has the bytes; never if the connection ends first (the signal reports that). */
async function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    response.write(bytes, () => resolve());
  });
}

/** Resolves once all earlier writes are done: the callback of an empty write comes after theirs. */
async function flushed(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.write('', () => resolve());
  });
}
