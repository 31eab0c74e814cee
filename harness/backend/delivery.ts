/** From an answer to the steps in which it goes out: what is sent when, where it waits, where it ends. */

import type { Behaviour, Delivery, Ending, Place } from './behaviour.ts';
import { has, type Reply } from './engine/reply.ts';

/** `finish` ends the answer in order; `drop` ends the connection, and so does `finish` if `close`. */
export type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'hold' }
  | { readonly do: 'head'; readonly status: number; readonly headers: readonly string[] }
  | { readonly do: 'write'; readonly bytes: Buffer }
  | { readonly do: 'finish'; readonly close: boolean }
  | { readonly do: 'drop'; readonly how: Ending };

/** The delivery that a behaviour asks for; hang and drop are deliveries of an ordinary answer. */
export function deliveryOf(behaviour: Behaviour): Delivery {
  if (behaviour.kind === 'drop') {
    return { drop: { at: behaviour.at ?? 'before-head', how: behaviour.how } };
  }
  if (behaviour.kind === 'hang') {
    const at = behaviour.at ?? 'before-head';
    return { hold: at, drop: { at, how: 'close' } };
  }
  return behaviour;
}

/** The steps of one answer, up to and including its end. */
export function planDelivery(reply: Reply, delivery: Delivery): readonly Step[] {
  const chunked = (delivery.framing ?? (reply.eventEnds ? 'chunked' : 'length')) === 'chunked';
  const place = (at: Place | undefined) =>
    at === undefined ? undefined : offsetOf(at, reply, chunked);
  const hold = place(delivery.hold);
  const drop = place(delivery.drop?.at);
  const steps: Step[] = [];

  /** What happens when so many bytes were sent; true once it is the end. */
  const stop = (offset: number): boolean => {
    if (hold === offset) steps.push({ do: 'hold' });
    if (drop !== offset) return false;
    steps.push({ do: 'drop', how: delivery.drop?.how ?? 'close' });
    return true;
  };

  if (delivery.delayHeadMs !== undefined) steps.push({ do: 'wait', ms: delivery.delayHeadMs });
  if (stop(beforeHead)) return steps;
  steps.push({ do: 'head', status: reply.status, headers: headOf(reply, delivery, chunked) });
  if (stop(0)) return steps;

  const chunks = new Set(chunkEnds(reply, delivery));
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
  steps.push({ do: 'finish', close: delivery.contentLength !== undefined });
  return steps;
}

const beforeHead = -1;

/** How many bytes of the body were sent at a place; -1 is before the head. */
function offsetOf(place: Place, reply: Reply, chunked: boolean): number {
  const { length } = reply.body;
  // A chunked body is unfinished until its last chunk; one of a declared length only while a byte is missing.
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

/** Where chunks end; also past the body's end, which is harmless. */
function chunkEnds(reply: Reply, delivery: Delivery): readonly number[] {
  const { length } = reply.body;
  if (delivery.splitEvery !== undefined) {
    const size = delivery.splitEvery;
    return Array.from({ length: Math.floor(length / size) }, (_, i) => (i + 1) * size);
  }
  return (delivery.splitAt ?? reply.eventEnds ?? []).filter((at) => at < length);
}

function headOf(reply: Reply, delivery: Delivery, chunked: boolean): readonly string[] {
  const headers = reply.headers.flat();
  const lengthTold =
    has(reply.headers, 'content-length') || has(reply.headers, 'transfer-encoding');
  const bodyless = reply.status === 204 || reply.status === 304;
  if (delivery.contentLength !== undefined) {
    // An agent that keeps connections must not send its next request into the end of this one.
    const length = ['content-length', String(delivery.contentLength)];
    return [...headers, ...length, 'connection', 'close'];
  }
  if (lengthTold || bodyless) return headers;
  return chunked
    ? [...headers, 'transfer-encoding', 'chunked']
    : [...headers, 'content-length', String(reply.body.length)];
}
