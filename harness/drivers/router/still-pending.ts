/** Telling what waits from what is answered, without waiting for its end. */

import { pause } from '../../exchange/budget.ts';

/** Whether `answer` has neither come nor failed after `ms` milliseconds. False as soon as the run is ended. */
export async function isPendingAfter(
  ms: number,
  answer: Promise<unknown>,
  signal: AbortSignal,
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
