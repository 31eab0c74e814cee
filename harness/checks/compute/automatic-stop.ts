/** An instance may be stopped by nobody: its hours are over (compute#variants/rule-1/ttl, compute#states/rule-3). */

import { type WireRecord, numberOf, textOf } from './records.ts';

/** Hours left at which the end may come before a case has looked again. */
const NEAR_HOURS = 0.1;

/**
 * Whether an instance that was `before` and is `after` may have got there by itself. `listed` is its record in a list, read
 * before whatever may have moved it: nothing else tells how many hours it has, and one that shows a stop was on its way
 * already. No hours at all are those of a service that stops nobody.
 */
export function mayBeAutomatic(
  before: string,
  after: string,
  listed: WireRecord | undefined,
): boolean {
  if (!isStop(after)) return false;
  if (before !== 'RUNNING' || listed === undefined) return before === 'STOPPING';
  const hours = numberOf(listed, 'ttl_remaining_hours');
  const isNear = hours !== undefined && hours > 0 && hours <= NEAR_HOURS;
  return isNear || isStop(textOf(listed, 'status'));
}

function isStop(state: string | undefined): boolean {
  return state === 'STOPPING' || state === 'STOPPED';
}
