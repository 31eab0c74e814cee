/** Reads the runtime of a stopped instance until it says something for certain. */

import { METER_LAG_MS, type RuntimeReading, runtimeRests } from '../../checks/compute/runs.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { pause } from '../../exchange/budget.ts';

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
