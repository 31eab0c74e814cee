/** Which states may be seen one after the other (compute#states/order). */

import {
  type InstanceState,
  instanceStates,
  lifecycleOrder,
} from '../../../schemas/compute/states.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved, together } from '../judgement.ts';

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
/** States out of which no transition is shown: an instance may be rebooted, or scheduled anew. */
const boot: ReadonlySet<InstanceState> = new Set(order.slice(0, order.indexOf('STOPPING')));

/**
 * Whether `to` may be seen after `from`, with any number of states missed in between. TERMINATED is final.
 * ERRORED may be entered from anywhere before that, and what follows it is not shown. Nor is what leads from one state to
 * another up to RUNNING, and what a start leads to, but for an instance that is being destroyed: that never comes back.
 */
export function mayFollow(from: InstanceState, to: InstanceState, started: boolean): boolean {
  return (boot.has(from) && boot.has(to)) || isForward(from, to, started);
}

/** The same where a careful reader would have even a boot go on in the documented order. */
export function isForward(from: InstanceState, to: InstanceState, started: boolean): boolean {
  if (from === to) return true;
  if (from === 'TERMINATED') return false;
  if (to === 'ERRORED' || from === 'ERRORED') return true;
  if (started && !dying.has(from)) return true;
  return order.indexOf(from) < order.indexOf(to);
}

/** Whether an instance in this state has not been stopped since it was made or started. */
export function isBooting(state: InstanceState): boolean {
  return boot.has(state);
}

/** Judges looks at one instance, in the order in which they were taken; one look alone says nothing. */
export function orderKept(looks: readonly Look[]): Judgement {
  return eachStep(looks, mayFollow, 'An instance moved against the documented order.');
}

/** Judges the steps up to RUNNING. */
export function earlyOrderKept(looks: readonly Look[]): Judgement {
  return eachStep(
    looks,
    isForward,
    'An instance that had not been stopped went back on its way.',
    boot,
  );
}

function eachStep(
  looks: readonly Look[],
  isLegal: typeof mayFollow,
  message: string,
  among: ReadonlySet<InstanceState> = new Set(instanceStates),
): Judgement {
  return together(
    ...looks.slice(1).map((look, index) => {
      const last = looks[index] ?? look;
      if (!among.has(last.state) || !among.has(look.state)) return notObserved;
      return expectThat(
        isLegal(last.state, look.state, look.startedSince === true),
        message,
        { expected: `what may follow ${last.state}`, actual: look.state },
        look.exchange,
        last.exchange,
      );
    }),
  );
}

/** Whether a state lies between two others, both included, in the documented order. */
export function liesBetween(
  before: InstanceState,
  shown: InstanceState,
  after: InstanceState,
): boolean {
  return isForward(before, shown, false) && isForward(shown, after, false);
}
