/** Which states may be seen one after the other (compute#states/order). */

import {
  type InstanceState,
  instanceStates,
  lifecycleOrder,
} from '../../../schemas/compute/states.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';

/** One look at an instance. */
export interface Look {
  readonly state: InstanceState;
  readonly exchange: Exchange;
  /** Whether a start may have reached the instance since the look before. */
  readonly startedSince?: boolean;
}

/** True for a documented state. */
export function isInstanceState(value: unknown): value is InstanceState {
  return instanceStates.some((state) => state === value);
}

const order: readonly InstanceState[] = lifecycleOrder;
const dying: ReadonlySet<InstanceState> = new Set(['TERMINATING', 'TERMINATED']);

/**
 * Whether `to` may be seen after `from`, with any number of states missed in between. TERMINATED is final.
 * ERRORED may be entered from anywhere before that, and what follows it is not shown. So is what a start
 * leads to, but for an instance that is being destroyed: that never comes back.
 */
export function mayFollow(from: InstanceState, to: InstanceState, started: boolean): boolean {
  if (from === to) return true;
  if (from === 'TERMINATED') return false;
  if (to === 'ERRORED' || from === 'ERRORED') return true;
  if (started && !dying.has(from)) return true;
  return order.indexOf(from) < order.indexOf(to);
}

/** Judges looks at one instance, in the order in which they were taken; one look alone says nothing. */
export function orderKept(looks: readonly Look[]): Judgement {
  let last: Look | undefined;
  let steps = 0;
  for (const look of looks) {
    if (last !== undefined) {
      steps += 1;
      const legal = mayFollow(last.state, look.state, look.startedSince === true);
      if (!legal) {
        return expectThat(
          false,
          'An instance moved against the documented order.',
          { expected: `what may follow ${last.state}`, actual: look.state },
          look.exchange,
          last.exchange,
        );
      }
    }
    last = look;
  }
  return steps === 0 ? notObserved : { seen: steps, violations: [] };
}

/** Whether a state lies between two others, both included, in the sense of `mayFollow`. */
export function liesBetween(
  before: InstanceState,
  shown: InstanceState,
  after: InstanceState,
): boolean {
  return mayFollow(before, shown, false) && mayFollow(shown, after, false);
}
