/** The only retry loop, and the waits of the table, scaled to the load of this machine. */

import os from 'node:os';
import { type Judgement, triesOf } from '../checks/judgement.ts';
import { pause } from '../exchange/budget.ts';
import { type Wait, type WaitName, waits } from './waits.ts';

/** A wait ends early when the signal fires. */
export interface Waiting {
  readonly signal: AbortSignal;
  readonly yieldTarget?: (waiting: () => Promise<void>) => Promise<void>;
}

/** Milliseconds of a pause from which others may have the target meanwhile. */
const LONG_PAUSE_MS = 2_000;

/** The row of this name, with another duration. */
export function within(name: WaitName, withinMs: number): Wait {
  return { ...waits[name], withinMs };
}

/** Factor by which all waits are stretched, from the runnable processes per core (default 1, at most 3). */
export function slowness(load = os.loadavg()[0] ?? 0, cores = os.availableParallelism()): number {
  return Math.min(3, Math.max(1, load / cores / 1.5));
}

/** Milliseconds that this machine waits for the event of a row. */
export function limitMs(name: WaitName): number {
  const { withinMs = 0 }: Wait = waits[name];
  return withinMs * slowness();
}

/** Waits as long as the row says. */
export async function rest({ signal }: Waiting, name: WaitName): Promise<void> {
  return pause(limitMs(name), signal);
}

/** Tries until `isDone` holds or the row ends, and returns the last result either way. Rejects when the run ends. */
export async function retry<T>(
  { signal, yieldTarget }: Waiting,
  wait: WaitName | Wait,
  attempt: () => Promise<T>,
  isDone: (result: T) => boolean,
): Promise<T> {
  const row: Wait = typeof wait === 'string' ? waits[wait] : wait;
  const pauses = pausesOf(row);
  for (;;) {
    const result = await attempt();
    if (isDone(result)) return result;
    const next = pauses.next();
    if (next.done === true) return result;
    const ms = next.value;
    const waiting = async () => pause(ms, signal);
    const yielding = row.yields === true && ms >= LONG_PAUSE_MS ? yieldTarget : undefined;
    await (yielding === undefined ? waiting() : yielding(waiting));
  }
}

/** Judges until nothing is violated, nothing could be judged or the row ends; the judgement counts its tries. */
export async function eventually<T extends Judgement | undefined>(
  t: Waiting,
  wait: WaitName | Wait,
  judge: () => Promise<T>,
): Promise<T> {
  let tries = 0;
  const counted = async (): Promise<T> => {
    tries += 1;
    const judgement = await judge();
    return judgement === undefined ? judgement : { ...judgement, ...triesOf(tries) };
  };
  return retry(t, wait, counted, (judgement) => (judgement?.violations.length ?? 0) === 0);
}

/** Yields the pauses of a row; a row with `pollMs` ends after `withinMs`. */
function* pausesOf({
  pausesMs = [],
  withinMs = 0,
  pollMs,
  growth = 2,
  closeMs = 0,
}: Wait): Generator<number, undefined> {
  const factor = slowness();
  for (const ms of pausesMs) yield ms * factor;
  if (pollMs === undefined) return undefined;
  const from = performance.now();
  const end = from + withinMs * factor;
  const [first, longest] = pollMs;
  for (let ms: number = first; performance.now() + ms <= end;) {
    yield ms;
    if (performance.now() - from >= closeMs) ms = Math.min(ms * growth, longest);
  }
  return undefined;
}

/** Whether `answer` is still pending after `ms` milliseconds. False as soon as the run is ended. */
export async function isPendingAfter(
  { signal }: Waiting,
  ms: number,
  answer: Promise<unknown>,
): Promise<boolean> {
  const answered = new AbortController();
  const isPending = await Promise.race([
    answer.then(
      () => false,
      () => false,
    ),
    pause(ms, signal, answered.signal).then(
      () => true,
      () => false,
    ),
  ]);
  answered.abort();
  return isPending;
}

/** Sends so many at once, and waits for all of them. */
export async function sendAtOnce<T>(
  count: number,
  send: (index: number) => Promise<T>,
): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, async (_, index) => send(index)));
}

/** Handles the rejection of a request that is awaited only later, so that Node does not report it as unhandled. */
export function underWay<T>(request: Promise<T>): Promise<T> {
  request.catch(() => undefined);
  return request;
}
