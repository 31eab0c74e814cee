/** Which requirement an answer breaks that the model rules out, and which one that fits it keeps. */

import type { ComputeRequirementId } from '../../schemas/compute/catalogue.ts';
import type { InstanceState } from '../../schemas/compute/states.ts';
import type { Answered } from './possible-states.ts';

const ORDER = 'compute.states.order-kept';
const TOGETHER = 'compute.states.concurrent-calls';

/** For a call that was answered as it cannot be where the instance is. */
export function blameForAnswer(
  call: Answered,
  visible: readonly InstanceState[],
): ComputeRequirementId {
  const terminated = visible.every((state) => state === 'TERMINATED');
  const dying = visible.every((state) => state === 'TERMINATED' || state === 'TERMINATING');
  if (call.action === 'start') return 'compute.start-instance.stopped-accepted';
  if (call.action === 'stop') {
    if (terminated) return 'compute.stop-instance.terminated-conflict';
    return dying
      ? 'compute.stop-instance.terminating-conflict'
      : 'compute.stop-instance.running-accepted';
  }
  if (terminated) return 'compute.terminate-instance.terminated-conflict';
  return call.outcome === 'conflict'
    ? 'compute.terminate-instance.terminating-no-conflict'
    : 'compute.terminate-instance.running-accepted';
}

/** For a look at a state that the instance cannot be in, after the calls since the look before. */
export function blameForLook(
  calls: readonly Answered[],
  last: InstanceState | undefined,
): ComputeRequirementId {
  const [only] = calls;
  if (last === 'TERMINATED') return 'compute.states.terminated-stays';
  if (only === undefined) return ORDER;
  if (calls.length > 1) return TOGETHER;
  if (only.outcome !== 'accepted') return blameForAnswer(only, ['RUNNING']);
  if (only.action === 'stop') return 'compute.states.running-stop-settles';
  return only.action === 'terminate' ? 'compute.states.terminate-settles' : ORDER;
}

const early: ReadonlySet<InstanceState> = new Set(['CREATED', 'DEPLOYED', 'STARTING', 'ERRORED']);

/** For a call that was answered as the table has it for the state that was just seen; undefined for the rest. */
export function creditForAnswer(
  { action, outcome }: Answered,
  known: InstanceState,
): ComputeRequirementId | undefined {
  if (action === 'terminate' && outcome === 'accepted') {
    if (early.has(known)) return 'compute.terminate-instance.early-accepted';
    if (known === 'STOPPING') return 'compute.terminate-instance.stopping-accepted';
    if (known === 'TERMINATING') return 'compute.terminate-instance.terminating-answer';
  }
  return action === 'stop' && outcome === 'conflict' && known === 'TERMINATING'
    ? 'compute.stop-instance.terminating-conflict'
    : undefined;
}
