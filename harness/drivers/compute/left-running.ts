/** A running instance may stop by itself, err, or be stopped by a try that failed, before a call that is judged reaches it. */

import { mayBeAutomatic } from '../../checks/compute/actions.ts';
import { isSuccess, type WireRecord } from '../../checks/compute/records.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/signals.ts';
import type { Life } from './life.ts';

const booting: ReadonlySet<string> = new Set(['CREATED', 'DEPLOYED', 'STARTING']);

/**
 * For the answer to a call for an instance that was last seen to run; `listed` is its record in a list, read before.
 * Throws `Inconclusive` when the call was refused and the instance may have been past RUNNING when it came: also by a first
 * try of the call, which failed once it had taken effect.
 */
export async function requireStillRan(
  life: Pick<Life, 'lookFresh'>,
  answer: Exchange,
  listed: WireRecord | undefined,
): Promise<void> {
  if (isSuccess(answer)) return;
  const seen = await life.lookFresh();
  if (seen?.status === 'ERRORED' || mayBeAutomatic('RUNNING', seen?.status ?? '', listed)) {
    throw new Inconclusive('the instance left RUNNING by itself before it was called');
  }
  if (seen !== undefined && booting.has(seen.status)) {
    throw new Inconclusive('the instance was rebooted when it was called');
  }
  const isConflict = answer.response?.status === 409;
  if (answer.retries > 0 && isConflict && seen !== undefined && seen.status !== 'RUNNING') {
    throw new Inconclusive('a first try of the call failed, and may have moved the instance');
  }
}
