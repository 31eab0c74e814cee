/** An instance may be stopped by nobody: its hours are over (compute#variants/rule-1/ttl, compute#states/rule-3). */

import { numberOf } from './records.ts';
import type { WireRecord } from './records.ts';

/** Hours left at which the end may come before a case has looked again. */
const NEAR_HOURS = 0.1;

/**
 * Whether an instance that was `before` and is `after` may have got there by itself. `listed` is its record in a list, read
 * before: nothing else tells how many hours it has. No hours at all are those of a service that stops nobody.
 */
export function mayBeAutomatic(
  before: string,
  after: string,
  listed: WireRecord | undefined,
): boolean {
  if (after !== 'STOPPING' && after !== 'STOPPED') return false;
  const hours = listed === undefined ? undefined : numberOf(listed, 'ttl_remaining_hours');
  const isNear = hours !== undefined && hours > 0 && hours <= NEAR_HOURS;
  return before === 'STOPPING' || (before === 'RUNNING' && isNear);
}
