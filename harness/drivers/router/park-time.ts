/** How long requests for a full model park, where that is long enough for something to happen in it. */

import { NotExercised } from '../../runner/signals.ts';
import type { RouterContext } from './session.ts';

/** The shortest park time in which a place can come free, or a client leave, by our hand, in milliseconds. */
const MIN_PARK_MS = 100;

/** The park time of the target file, in milliseconds. Throws `NotExercised` where it is too short to do `what` in it. */
export function parkTimeFor(t: Pick<RouterContext, 'limits'>, what: string): number {
  const { parkTimeoutMs = 0 } = t.limits;
  if (parkTimeoutMs >= MIN_PARK_MS) return parkTimeoutMs;
  throw new NotExercised(
    `a park time of ${parkTimeoutMs} ms is too short to ${what} in it`,
    'limits: { parkTimeoutMs: 250 }',
  );
}
