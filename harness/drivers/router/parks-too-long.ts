/** Whether requests are left parked where the park time has passed. */

import type { RouterContext } from './session.ts';
import { isPendingAfter } from '../../runner/retry.ts';

/** Milliseconds beyond twice the park time in which a router must have refused, however slow it is. */
const SLACK_MS = 3_000;
/** Milliseconds before the deadline in which requests that take the places may end. */
const BEFORE_DEADLINE_MS = 1_500;

/**
 * Whether requests beyond a limit have not all been answered long after the park time, while `isFull` still holds. False
 * where the target file does not tell the park time, or where the deadline may come first.
 */
export async function parksTooLong(
  t: Pick<RouterContext, 'limits' | 'signal'>,
  answers: Promise<unknown>,
  isFull: () => Promise<boolean>,
): Promise<boolean> {
  const { parkTimeoutMs, requestTimeoutMs = Infinity } = t.limits;
  if (parkTimeoutMs === undefined) return false;
  const ms = 2 * parkTimeoutMs + SLACK_MS;
  if (ms > requestTimeoutMs - BEFORE_DEADLINE_MS) return false;
  return (await isPendingAfter(t, ms, answers)) && isFull();
}
