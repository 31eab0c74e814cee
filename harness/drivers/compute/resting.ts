/** Reads the runtime of a stopped instance until it says something for certain. */

import { type RuntimeReading, runtimeRests } from '../../checks/compute/resting-runtime.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { pause } from '../../exchange/budget.ts';

/** Milliseconds by which a meter may lag behind what it measures. */
const METER_LAG_MS = 10_000;

/** What grows is read again once any meter must have caught up with the stop. */
export async function restsInTheEnd(
  read: () => Promise<readonly RuntimeReading[]>,
  signal: AbortSignal,
  lagMs: number = METER_LAG_MS,
): Promise<Judgement> {
  const judgement = runtimeRests(await read());
  if (judgement.violations.length === 0) return judgement;
  await pause(lagMs, signal);
  return runtimeRests(await read());
}
