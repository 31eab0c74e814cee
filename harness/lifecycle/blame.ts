/** Which requirement an observation breaks when the model rules it out, and which one it confirms otherwise. */

import { notYetRunning } from '../checks/compute/lifecycle.ts';
import type { ComputeRequirementId } from '../../schemas/compute/catalogue.ts';
import type { InstanceState } from '../../schemas/compute/states.ts';
import type { Action, Answered } from './model.ts';

/** The requirement that a response breaks when the contract excludes it in all visible states. */
export function blameForAnswer(
  { action, outcome }: Answered,
  visible: readonly InstanceState[],
): ComputeRequirementId {
  const terminated = visible.every((state) => state === 'TERMINATED');
  const dying = visible.every((state) => state === 'TERMINATED' || state === 'TERMINATING');
  if (action === 'start') return 'compute.start-instance.stopped-accepted';
  if (action === 'stop') {
    if (terminated) return 'compute.stop-instance.terminated-conflict';
    if (dying) return 'compute.stop-instance.terminating-conflict';
    return visible.includes('RUNNING')
      ? 'compute.stop-instance.running-accepted'
      : 'compute.stop-instance.stopped-accepted';
  }
  if (terminated) return 'compute.terminate-instance.terminated-conflict';
  return outcome === 'conflict'
    ? 'compute.terminate-instance.terminating-no-conflict'
    : 'compute.terminate-instance.running-accepted';
}

/** Requirements that forbid a call to undo the destruction of an instance. */
const survives: Readonly<
  Record<'TERMINATING' | 'TERMINATED', Readonly<Record<Action, ComputeRequirementId>>>
> = {
  TERMINATING: {
    stop: 'compute.states.refused-stop-keeps-terminating',
    start: 'compute.states.terminated-survives-start',
    terminate: 'compute.states.terminate-again-settles',
  },
  TERMINATED: {
    stop: 'compute.states.refused-stop-keeps-terminated',
    start: 'compute.states.terminated-survives-start',
    terminate: 'compute.states.terminated-survives-terminate',
  },
};

/** The requirement that the impossible `state` breaks after `calls`, which followed the look at `before`. */
export function blameForState(
  calls: readonly Answered[],
  before: InstanceState | undefined,
  together: boolean,
  state: InstanceState,
): ComputeRequirementId {
  const last = calls.at(-1);
  if (last === undefined) {
    return before === 'TERMINATED'
      ? 'compute.states.terminated-stays'
      : 'compute.states.order-kept';
  }
  if (before === 'TERMINATED') return survives.TERMINATED[last.action];
  if (together) {
    // An accepted terminate leads to TERMINATING in whatever order the calls were served.
    const isAccepted = calls.some(
      (one) => one.action === 'terminate' && one.outcome === 'accepted',
    );
    const isLost = isAccepted && state !== 'TERMINATING';
    return isLost ? 'compute.states.terminate-settles' : 'compute.states.concurrent-calls';
  }
  const earlier = calls.slice(0, -1);
  const wasAccepted = (action: Action): boolean =>
    earlier.some((call) => call.action === action && call.outcome === 'accepted');
  if (before === 'TERMINATING' || wasAccepted('terminate')) {
    // An instance that goes on ending has survived nothing: then the answer is what does not fit.
    return state === 'TERMINATING' || state === 'TERMINATED'
      ? blameForAnswer(last, ['TERMINATING'])
      : survives.TERMINATING[last.action];
  }
  if (last.outcome !== 'accepted') return blameForAnswer(last, [before ?? 'RUNNING']);
  if (last.action === 'start') return 'compute.states.order-kept';
  if (last.action === 'terminate') {
    return before === 'STOPPING' || wasAccepted('stop')
      ? 'compute.states.terminate-while-stopping-settles'
      : 'compute.states.terminate-settles';
  }
  return before === 'STOPPED'
    ? 'compute.states.stopped-stays'
    : 'compute.states.running-stop-settles';
}

/** The requirement that a call confirms when its outcome is the table's for the state just seen; undefined otherwise. */
export function creditForAnswer(
  { action, outcome }: Answered,
  known: InstanceState,
): ComputeRequirementId | undefined {
  if (action === 'terminate' && outcome === 'accepted') {
    if (notYetRunning.has(known)) return 'compute.terminate-instance.early-accepted';
    if (known === 'STOPPING') return 'compute.terminate-instance.stopping-accepted';
    if (known === 'TERMINATING') return 'compute.terminate-instance.terminating-answer';
  }
  return undefined;
}

/** The requirement that a stop with a conflict confirms when the instance was TERMINATING before it and still is. */
export function creditForState(
  calls: readonly Answered[],
  before: InstanceState | undefined,
  state: InstanceState,
): ComputeRequirementId | undefined {
  const begun = calls.findIndex(
    ({ action, outcome }) => action === 'terminate' && outcome === 'accepted',
  );
  if (state !== 'TERMINATING' || (before !== state && begun === -1)) return undefined;
  const since = before === state ? calls : calls.slice(begun);
  return since.some(({ action, outcome }) => action === 'stop' && outcome === 'conflict')
    ? 'compute.stop-instance.terminating-conflict'
    : undefined;
}
