/** Reads the runtime of a stopped instance until it says something for certain. */

import { type RuntimeReading, runtimeRests } from '../../checks/compute/resting-runtime.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { eventually, type Wait, type Waiting, waits } from '../../runner/retry.ts';

/** What grows is read again once any meter must have caught up with the stop. */
export async function restsInTheEnd(
  t: Waiting,
  read: () => Promise<readonly RuntimeReading[]>,
  wait: Wait = waits.meterStops,
): Promise<Judgement> {
  return eventually(t, wait, async () => runtimeRests(await read()));
}
