/** The nondeterministic model of an instance: everywhere it can be. The background may move it between any two calls, every answer narrows the set, and an answer that leaves it empty is the violation. */

import { isInformative } from '../checks/compute/answers.ts';
import { isSuccess } from '../checks/compute/records.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { type InstanceState, instanceStates, stopOutcomes } from '../../schemas/compute/states.ts';
import { isBooting, isForward } from '../checks/compute/lifecycle.ts';

/**
 * - `accepted`: a 2xx.
 * - `conflict`: 409.
 * - `forbidden`: 403, or 402 where the account lacks credit.
 * - `refused`: another 4xx.
 * - `failed`: 500; whether anything happened is not known.
 * - `lost`: no answer, a proxy's error, a rate limit; whether anything happened is not known.
 */
export type Outcome = 'accepted' | 'conflict' | 'forbidden' | 'refused' | 'failed' | 'lost';

/** Reads the outcome off an answer. */
export function outcomeOf(exchange: Exchange): Outcome {
  if (!isInformative(exchange)) return 'lost';
  if (isSuccess(exchange)) return 'accepted';
  const status = exchange.response?.status ?? 0;
  if (status === 409) return 'conflict';
  if (status === 402 || status === 403) return 'forbidden';
  return status >= 500 ? 'failed' : 'refused';
}

/** Whether a call that was answered so may have changed something. */
export function mayHaveEffect(outcome: Outcome): boolean {
  return outcome === 'accepted' || outcome === 'failed' || outcome === 'lost';
}

/** What a caller may ask for. */
export type Action = 'stop' | 'start' | 'terminate';

/**
 * A state, or STOPPED with an accepted start that has not shown yet: what a start leads to, and when, is not
 * shown. Or ERRORED that was entered unseen: from a live state or from TERMINATING. What follows an ERRORED
 * that was seen is left open. An unseen one rests until somebody acts: otherwise an instance that errs and
 * recovers between two looks would explain everything. Or a boot that began anew unseen, since what leads out of the states
 * up to RUNNING is not shown: it explains a refused stop, and not one that was accepted and did nothing. Or a terminate that
 * was accepted and has not begun, which no look at TERMINATING has shown yet: until then a stop may be accepted.
 */
export type Place =
  | InstanceState
  | 'STOPPED_STARTING'
  | 'TERMINATE_ACCEPTED'
  | 'REBOOTING'
  | 'ERRED_ALIVE'
  | 'ERRED_DYING';

const impossible: readonly Place[] = [];
const dying: readonly InstanceState[] = ['TERMINATING', 'TERMINATED'];
const live = instanceStates.filter((state) => !dying.includes(state));

/** Where the background may have taken an instance by the next call; the place itself included. */
function later(place: Place): readonly Place[] {
  if (place === 'ERRED_ALIVE' || place === 'ERRED_DYING' || place === 'TERMINATED') return [place];
  if (place === 'TERMINATING') return [...dying, 'ERRED_DYING'];
  if (place === 'TERMINATE_ACCEPTED') return [place, ...dying, 'ERRED_DYING'];
  if (place === 'ERRORED') return instanceStates;
  if (place === 'STOPPED_STARTING') return [place, ...live, ...dying, 'ERRED_ALIVE'];
  const from = place === 'REBOOTING' ? 'CREATED' : place;
  const onwards = instanceStates.filter((to) => to !== 'ERRORED' && isForward(from, to, false));
  return [...onwards, ...(isBooting(from) ? ['REBOOTING' as const] : []), 'ERRED_ALIVE'];
}

/** The state that a look shows. */
function shown(place: Place): InstanceState {
  if (place === 'STOPPED_STARTING') return 'STOPPED';
  if (place === 'REBOOTING') return 'STARTING';
  // A look at the state before counts as one at a copy that is behind.
  if (place === 'TERMINATE_ACCEPTED') return 'TERMINATING';
  return place === 'ERRED_ALIVE' || place === 'ERRED_DYING' ? 'ERRORED' : place;
}

/**
 * Where a call that found the instance at `place` and was answered so has left it; empty when the contract
 * rules that answer out there.
 */
function after(action: Action, place: Place, outcome: Outcome): readonly Place[] {
  const done = effect[action](place);
  if (outcome === 'lost') return [place, ...done];
  if (!isPossible[action](place, outcome)) return impossible;
  if (outcome === 'failed') return [place, ...done];
  if (outcome === 'conflict' || outcome === 'refused' || outcome === 'forbidden') return [place];
  // Where no outcome is stated, being accepted need not mean that anything happens.
  const mayBeIgnored = action === 'stop' && !isStopStated(place) && place !== 'REBOOTING';
  return mayBeIgnored ? [place, ...done] : done;
}

/** States for which the table says what a stop does (compute#states/rule-2). */
export function isStopStated(place: Place): boolean {
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
    if (place === 'TERMINATE_ACCEPTED') return [place];
    return isDying(place) ? impossible : ['STOPPING', 'STOPPED'];
  },
  terminate: (place) => {
    if (place === 'TERMINATED') return impossible;
    return isDying(place) ? ['TERMINATING'] : ['TERMINATING', 'TERMINATE_ACCEPTED'];
  },
  start: (place) =>
    isDying(place) || place === 'TERMINATE_ACCEPTED'
      ? [place]
      : ['STOPPED_STARTING', ...live, 'ERRED_ALIVE'],
};

function isDying(place: Place): boolean {
  return place === 'TERMINATING' || place === 'TERMINATED' || place === 'ERRED_DYING';
}

/** One answered call. */
export interface Answered {
  readonly action: Action;
  readonly outcome: Outcome;
}

/** Immutable: each answer gives a new set. */
export class PossibleStates {
  readonly #places: ReadonlySet<Place>;
  readonly #before: ReadonlySet<InstanceState>;

  private constructor(places: Iterable<Place>, before: Iterable<InstanceState> = []) {
    this.#places = new Set(places);
    this.#before = new Set(before);
  }

  /** Everything is possible as long as nothing was seen. */
  static any(): PossibleStates {
    return new PossibleStates(instanceStates);
  }

  /** True after an answer that the contract rules out. */
  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** The states that a look may show now, in the order of the contract. */
  get visible(): readonly InstanceState[] {
    const places = [...this.#places].flatMap((place) => later(place));
    const states = new Set(places.map((place) => shown(place)));
    const boots = places.includes('REBOOTING');
    return instanceStates.filter((state) => states.has(state) || (boots && isBooting(state)));
  }

  /** After a look that showed `state`. */
  observed(state: InstanceState): PossibleStates {
    if (!this.visible.includes(state)) return new PossibleStates([]);
    // A look at STOPPED does not tell that an accepted start came to nothing.
    const awaits = state === 'STOPPED' && this.#places.has('STOPPED_STARTING');
    return new PossibleStates(awaits ? [state, 'STOPPED_STARTING'] : [state]);
  }

  /**
   * After calls that were in flight at the same time: some order of them, with the background between, must
   * explain every answer.
   */
  together(calls: readonly Answered[]): PossibleStates {
    const left = new Set<Place>();
    for (const order of orders(calls)) {
      for (const place of walked(this.#places, order)) left.add(place);
    }
    return new PossibleStates(left, [...this.visible, ...this.#before]);
  }

  /** Whether a look at `state` shows what was before the last calls and cannot be any more. */
  isBehind(state: InstanceState): boolean {
    return !this.isEmpty && !this.visible.includes(state) && this.#before.has(state);
  }
}

function walked(from: ReadonlySet<Place>, calls: readonly Answered[]): ReadonlySet<Place> {
  let places = from;
  for (const { action, outcome } of calls) {
    const left = new Set<Place>();
    const met = new Set([...places].flatMap((place) => later(place)));
    for (const place of met) for (const next of after(action, place, outcome)) left.add(next);
    places = left;
  }
  return places;
}

/** Every order of a few calls; those that are alike are not told apart. */
function orders(calls: readonly Answered[]): readonly (readonly Answered[])[] {
  if (calls.length <= 1) return [calls];
  const tried = new Set<string>();
  return calls.flatMap((first, index) => {
    const key = `${first.action} ${first.outcome}`;
    if (tried.has(key)) return [];
    tried.add(key);
    return orders(calls.toSpliced(index, 1)).map((rest) => [first].concat(rest));
  });
}
