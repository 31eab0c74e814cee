/** Trying again: the one loop behind every kind of patience with a deployment. */

import { type Judgement, triesOf } from '../checks/judgement.ts';
import { pause } from '../exchange/budget.ts';

/**
 * The result of `attempt`, made again after each of the pauses (milliseconds) until `isDone` holds for it. Pauses are asked
 * for one by one, so that they may depend on what time or patience is left. Returns the last result, for which `isDone`
 * may not hold. Rejects with the reason of the signal when the run is ended.
 */
export async function again<T>(
  attempt: () => Promise<T>,
  isDone: (result: T) => boolean,
  pausesMs: Iterable<number>,
  signal: AbortSignal,
): Promise<T> {
  const pauses = pausesMs[Symbol.iterator]();
  for (;;) {
    const result = await attempt();
    if (isDone(result)) return result;
    const next = pauses.next();
    if (next.done === true) return result;
    await pause(next.value, signal);
  }
}

/**
 * A judgement that is made again after each of the pauses (milliseconds) until nothing is wrong by it: the last one, which
 * says how many it took. Undefined, where nothing could be judged, ends it as well.
 */
export async function untilRight<T extends Judgement | undefined>(
  judge: () => Promise<T>,
  pausesMs: Iterable<number>,
  signal: AbortSignal,
): Promise<T> {
  let tries = 0;
  return again(
    async () => {
      tries += 1;
      const judgement = await judge();
      return judgement === undefined ? judgement : { ...judgement, ...triesOf(tries) };
    },
    (judgement) => judgement === undefined || judgement.violations.length === 0,
    pausesMs,
    signal,
  );
}
