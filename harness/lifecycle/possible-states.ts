/**
 * The nondeterministic model of an instance: everywhere it can be. The background may move it between any two
 * calls, every answer narrows the set, and an answer that leaves it empty is the violation.
 */

import { type InstanceState, instanceStates } from '../../schemas/compute/states.ts';
import { isBooting } from '../checks/compute/lifecycle.ts';
import type { Outcome } from './outcome.ts';
import { type Action, type Place, after, later, shown } from './transitions.ts';

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
    // A boot may begin anew; one that was not seen explains no answer.
    const boots = instanceStates.some((state) => isBooting(state) && this.#places.has(state));
    return instanceStates.filter((state) => states.has(state) || (boots && isBooting(state)));
  }

  /** After a look that showed `state`. */
  looked(state: InstanceState): PossibleStates {
    if (!this.visible.includes(state)) return new PossibleStates([]);
    // A look at STOPPED does not tell that an accepted start came to nothing.
    const awaits = state === 'STOPPED' && this.#places.has('STOPPED_STARTING');
    return new PossibleStates(awaits ? [state, 'STOPPED_STARTING'] : [state]);
  }

  /** After one answered call. */
  answered(call: Answered): PossibleStates {
    return this.together([call]);
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
