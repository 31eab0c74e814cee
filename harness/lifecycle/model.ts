/** Nondeterministic model of an instance: the set of its possible places. A response that empties the set is a violation. */

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
 * - `failed`: 500; the call may have had an effect.
 * - `lost`: no response, a proxy's error or a rate limit; the call may have had an effect.
 */
export type Outcome = 'accepted' | 'conflict' | 'forbidden' | 'refused' | 'failed' | 'lost';

/** Reads the outcome of a call from its exchange. */
export function outcomeOf(exchange: Exchange): Outcome {
  if (!isInformative(exchange)) return 'lost';
  if (isSuccess(exchange)) return 'accepted';
  const status = exchange.response?.status ?? 0;
  // The first try of a call that was sent again may have had an effect, which a refusal then follows.
  if (exchange.retries > 0 && status < 500) return 'lost';
  if (status === 409) return 'conflict';
  if (status === 402 || status === 403) return 'forbidden';
  return status >= 500 ? 'failed' : 'refused';
}

/** Whether a call with this outcome may have changed something. */
export function mayHaveEffect(outcome: Outcome): boolean {
  return outcome === 'accepted' || outcome === 'failed' || outcome === 'lost';
}

/** A call that changes an instance. */
export type Action = 'stop' | 'start' | 'terminate';

/**
 * A state of the contract, or a place that a look cannot tell from one:
 * - `STOPPED_STARTING`: STOPPED, with an accepted start that does not show yet. Its effect and its time are open.
 * - `TERMINATE_ACCEPTED`: a terminate was accepted and no look has shown TERMINATING, so a stop may still be
 *   accepted.
 * - `REBOOTING`: a boot that began anew unseen. It explains a refused stop, not an accepted one that did nothing.
 * - `ERRED_ALIVE`, `ERRED_DYING`: ERRORED, entered unseen. It lasts until a call: an instance that could err and
 *   recover between two looks would explain everything. After an ERRORED that was seen, every state is possible.
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

/** The places that the background may have moved an instance to by the next call, the place itself included. */
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
  // A look that still shows the earlier state counts as a look at a stale copy.
  if (place === 'TERMINATE_ACCEPTED') return 'TERMINATING';
  return place === 'ERRED_ALIVE' || place === 'ERRED_DYING' ? 'ERRORED' : place;
}

/** The places after a call at `place` with this outcome; empty when the contract rules the outcome out. */
function after(action: Action, place: Place, outcome: Outcome): readonly Place[] {
  const done = effect[action](place);
  if (outcome === 'lost') return [place, ...done];
  if (!isPossible[action](place, outcome)) return impossible;
  if (outcome === 'failed') return [place, ...done];
  if (outcome === 'conflict' || outcome === 'refused' || outcome === 'forbidden') return [place];
  // Where the contract states no outcome, an accepted stop may do nothing.
  const mayBeIgnored = action === 'stop' && !isStopStated(place) && place !== 'REBOOTING';
  return mayBeIgnored ? [place, ...done] : done;
}

/** States for which the table says what a stop does (compute#states/rule-2). */
export function isStopStated(place: Place): boolean {
  return Object.hasOwn(stopOutcomes, place);
}

/** Which outcomes the contract allows. A 500 is possible nearly everywhere, since the service may fail. */
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
  // A start may lack a host or credit at the moment; only `refused`, for an invalid request, is ruled out.
  start: (place, outcome) => place !== 'STOPPED' || outcome !== 'refused',
};

/** The places after an accepted call; where the contract is silent, all plausible ones. */
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

/** A set of places. It is immutable: each observation gives a new set. */
export class PossibleStates {
  readonly #places: ReadonlySet<Place>;
  readonly #before: ReadonlySet<InstanceState>;

  private constructor(places: Iterable<Place>, before: Iterable<InstanceState> = []) {
    this.#places = new Set(places);
    this.#before = new Set(before);
  }

  /** The set before the first look: every state. */
  static any(): PossibleStates {
    return new PossibleStates(instanceStates);
  }

  /** True after a response that the contract rules out. */
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

  /** The set after a look that showed `state`. */
  observed(state: InstanceState): PossibleStates {
    if (!this.visible.includes(state)) return new PossibleStates([]);
    // A look at STOPPED does not prove that an accepted start had no effect.
    const awaits = state === 'STOPPED' && this.#places.has('STOPPED_STARTING');
    return new PossibleStates(awaits ? [state, 'STOPPED_STARTING'] : [state]);
  }

  /** The set after concurrent calls: some order of them, with background moves in between, must explain every outcome. */
  together(calls: readonly Answered[]): PossibleStates {
    const left = new Set<Place>();
    for (const order of orders(calls)) {
      for (const place of walked(this.#places, order)) left.add(place);
    }
    return new PossibleStates(left, [...this.visible, ...this.#before]);
  }

  /** Whether a look at `state` shows a stale copy: possible before the last calls, and impossible now. */
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

/** Every order of a few calls; equal calls are interchangeable. */
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
