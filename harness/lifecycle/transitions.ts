/** Where an instance can be after time has passed, and after an answered call (compute#states). */

import { type InstanceState, instanceStates, stopOutcomes } from '../../schemas/compute/states.ts';
import { isForward } from '../checks/compute/lifecycle.ts';
import type { Outcome } from './outcome.ts';

/** What a caller may ask for. */
export type Action = 'stop' | 'start' | 'terminate';

/**
 * A state, or STOPPED with an accepted start that has not shown yet: what a start leads to, and when, is not
 * shown. Or ERRORED that was entered unseen: from a live state or from TERMINATING. What follows an ERRORED
 * that was seen is left open. An unseen one rests until somebody acts: otherwise an instance that errs and
 * recovers between two looks would explain everything.
 */
export type Place = InstanceState | 'STOPPED_STARTING' | 'ERRED_ALIVE' | 'ERRED_DYING';

const unknownInstanceId: readonly Place[] = [];
const dying: readonly InstanceState[] = ['TERMINATING', 'TERMINATED'];
const live = instanceStates.filter((state) => !dying.includes(state));

/** Where the background may have taken an instance by the next call; the place itself included. */
export function later(place: Place): readonly Place[] {
  if (place === 'ERRED_ALIVE' || place === 'ERRED_DYING' || place === 'TERMINATED') return [place];
  if (place === 'TERMINATING') return [...dying, 'ERRED_DYING'];
  if (place === 'ERRORED') return instanceStates;
  if (place === 'STOPPED_STARTING') return [place, ...live, ...dying, 'ERRED_ALIVE'];
  const onwards = instanceStates.filter((to) => to !== 'ERRORED' && isForward(place, to, false));
  return [...onwards, 'ERRED_ALIVE'];
}

/** The state that a look shows. */
export function shown(place: Place): InstanceState {
  if (place === 'STOPPED_STARTING') return 'STOPPED';
  return place === 'ERRED_ALIVE' || place === 'ERRED_DYING' ? 'ERRORED' : place;
}

/**
 * Where a call that found the instance at `place` and was answered so has left it; empty when the contract
 * rules that answer out there.
 */
export function after(action: Action, place: Place, outcome: Outcome): readonly Place[] {
  const done = effect[action](place);
  if (outcome === 'lost') return [place, ...done];
  if (!isPossible[action](place, outcome)) return unknownInstanceId;
  if (outcome === 'failed') return [place, ...done];
  if (outcome === 'conflict' || outcome === 'refused' || outcome === 'forbidden') return [place];
  // Where no outcome is stated, being accepted need not mean that anything happens.
  return action === 'stop' && !isStopStated(place) ? [place, ...done] : done;
}

/** States for which the table says what a stop does (compute#states/rule-2). */
function isStopStated(place: Place): boolean {
  return Object.hasOwn(stopOutcomes, place);
}

/** Which answers the contract allows. A 500 is possible nearly everywhere: the service may fail. */
const isPossible: Readonly<
  Record<Action, (place: Place, outcome: Exclude<Outcome, 'lost'>) => boolean>
> = {
  stop: (place, outcome) => {
    if (!isStopStated(place) || outcome === 'failed') return true;
    return outcome === (place === 'RUNNING' || place === 'STOPPED' ? 'accepted' : 'conflict');
  },
  terminate: (place, outcome) =>
    place === 'TERMINATED'
      ? outcome === 'conflict'
      : outcome === 'accepted' || outcome === 'failed',
  // A start may lack a host, or credit, at the moment: only a request that is called wrong in itself is out.
  start: (place, outcome) => place !== 'STOPPED' || outcome !== 'refused',
};

/** What an accepted call makes of a place; where the contract is silent, what it well may. */
const effect: Readonly<Record<Action, (place: Place) => readonly Place[]>> = {
  stop: (place) => {
    if (place === 'RUNNING') return ['STOPPING'];
    if (place === 'STOPPED') return ['STOPPED'];
    if (place === 'ERRORED') return instanceStates;
    return isDying(place) ? unknownInstanceId : ['STOPPING', 'STOPPED'];
  },
  terminate: (place) => (place === 'TERMINATED' ? unknownInstanceId : ['TERMINATING']),
  start: (place) => (isDying(place) ? [place] : ['STOPPED_STARTING', ...live, 'ERRED_ALIVE']),
};

function isDying(place: Place): boolean {
  return place === 'TERMINATING' || place === 'TERMINATED' || place === 'ERRED_DYING';
}
