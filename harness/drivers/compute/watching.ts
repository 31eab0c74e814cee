/** Watches an instance that should rest, for a while. */

import { pause } from '../../exchange/budget.ts';
import type { Life } from './life.ts';
import type { Sighting } from './instances.ts';

/** Milliseconds that a rest is watched for: two ticks of a meter that is read once a second. */
const WATCHED_MS = 2_200;
const LOOKS = 8;

/** Looks that are spread over the time; those that see nothing are left out. */
export async function watch(
  life: Life,
  signal: AbortSignal,
  { forMs, looks } = { forMs: WATCHED_MS, looks: LOOKS },
): Promise<readonly Sighting[]> {
  const sightings: Sighting[] = [];
  for (let n = 0; n < looks; n += 1) {
    if (n > 0) await pause(forMs / (looks - 1), signal);
    const seen = await life.look();
    if (seen !== undefined) sightings.push(seen);
  }
  return sightings;
}
