/** Asking again where what was asked before may still be in the way. */

import type { Judgement } from '../../checks/judgement.ts';
import { again } from '../again.ts';

/**
 * Milliseconds after which a judgement that fails is made again: agents that were taken out for failing are back then,
 * unless another case has made them fail meanwhile.
 */
const AGAIN_AFTER_MS = [30, 100, 270, 400, 600, 1_000, 2_200];

/**
 * The judgement of an attempt, made again after a while as long as it fails: health is the fleet's own affair, and a
 * router may leave an agent out for a moment that failed several times in a row. A router that never does what is asked
 * for fails each time.
 */
export async function inTheEnd(
  t: { readonly signal: AbortSignal },
  attempt: () => Promise<Judgement>,
): Promise<Judgement> {
  return again(attempt, ({ violations }) => violations.length === 0, AGAIN_AFTER_MS, t.signal);
}
