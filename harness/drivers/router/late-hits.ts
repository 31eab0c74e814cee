/** Counting the hits of requests that a router refuses by itself. */

import { WaitTimedOut } from '../../backend/control.ts';
import type { RouterContext } from './session.ts';
import { limitMs } from '../../runner/retry.ts';

/**
 * The hits of a script whose last request was refused, once there are more than the `before` of others, or time enough
 * has passed for one that was sent all the same.
 */
export async function hitsOfRefused(
  t: Pick<RouterContext, 'backend' | 'signal'>,
  script: string,
  before = 0,
): Promise<number> {
  try {
    const options = { timeoutMs: limitMs('hitOfRefused'), signal: t.signal };
    return (await t.backend.waitFor(script, { hits: before + 1 }, options)).hits;
  } catch (error) {
    if (error instanceof WaitTimedOut) return error.counts.hits;
    throw error;
  }
}
