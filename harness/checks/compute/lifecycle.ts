/** The order of states, and that TERMINATED is final (compute#states/order, compute#overview/terminated-final). */

import {
  type InstanceState,
  instanceStates,
  lifecycleOrder,
} from '../../../schemas/compute/states.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import { answered, isInformative } from './answers.ts';
import { nextCursor } from '../collection/bounds.ts';
import { idOf, idsOf, instancesOf, isSuccess } from './records.ts';

/** One read of an instance's state. */
export interface ObservedState {
  readonly state: InstanceState;
  readonly exchange: Exchange;
  /** Whether a start may have reached the instance since the read before. */
  readonly startedSince?: boolean;
}

/** True for a documented state. */
export function isInstanceState(value: unknown): value is InstanceState {
  return instanceStates.some((state) => state === value);
}

const order: readonly InstanceState[] = lifecycleOrder;
const dying: ReadonlySet<string | undefined> = new Set(['TERMINATING', 'TERMINATED']);
/** States whose outgoing transitions the document does not show: an instance may be rebooted or rescheduled. */
const boot: ReadonlySet<InstanceState> = new Set(order.slice(0, order.indexOf('STOPPING')));

/**
 * Whether `to` may be seen after `from`, with any number of missed states in between. TERMINATED is final. ERRORED may be
 * entered from any other state, and what follows it is not shown. Transitions among the states up to RUNNING and the effect
 * of a start are not shown either, but an instance that is being destroyed never comes back.
 */
export function mayFollow(from: InstanceState, to: InstanceState, started: boolean): boolean {
  return (boot.has(from) && boot.has(to)) || isForward(from, to, started);
}

/** A stricter rule, by which even the states up to RUNNING follow the documented order. */
export function isForward(from: InstanceState, to: InstanceState, started: boolean): boolean {
  if (from === to) return true;
  if (from === 'TERMINATED') return false;
  if (to === 'ERRORED' || from === 'ERRORED') return true;
  if (started && !isDying(from)) return true;
  return order.indexOf(from) < order.indexOf(to);
}

/** Whether an instance in this state has not been stopped since it was created or started. */
export function isBooting(state: InstanceState): boolean {
  return boot.has(state);
}

/** States in which an instance that was never stopped does not run. */
export const notYetRunning: ReadonlySet<string> = new Set<InstanceState>([
  'CREATED',
  'DEPLOYED',
  'STARTING',
  'ERRORED',
]);

/** Whether an instance leaves this state without a further call. */
export function isPassing(state: InstanceState): boolean {
  return (
    state === 'STOPPING' || state === 'TERMINATING' || (boot.has(state) && state !== 'RUNNING')
  );
}

/** Judges consecutive reads of one instance. */
export function orderKept(states: readonly ObservedState[]): Judgement {
  return eachStep(states, mayFollow, 'An instance moved against the documented order.');
}

/** Judges only the steps up to RUNNING. */
export function earlyOrderKept(states: readonly ObservedState[]): Judgement {
  const message = 'An instance that had not been stopped went back on its way.';
  return eachStep(states, isForward, message, boot);
}

function eachStep(
  states: readonly ObservedState[],
  isLegal: typeof mayFollow,
  message: string,
  within: ReadonlySet<InstanceState> = new Set(instanceStates),
): Judgement {
  return together(
    ...states.slice(1).map((next, index) => {
      const last = states[index] ?? next;
      if (!within.has(last.state) || !within.has(next.state)) return notObserved;
      return expectThat(
        isLegal(last.state, next.state, next.startedSince === true),
        message,
        { expected: `what may follow ${last.state}`, actual: next.state },
        next.exchange,
        last.exchange,
      );
    }),
  );
}

/** States from which no call brings an instance back. */
export function isDying(state: string | undefined): boolean {
  return dying.has(state);
}

/** An instance never comes back from TERMINATING or TERMINATED, even if other clients acted between the two reads. */
export function neverComesBack(first: ObservedState, then: ObservedState): Judgement {
  if (!isDying(first.state)) return notObserved;
  if (mayFollow(first.state, then.state, true)) return pass();
  return violated(
    `An instance that was ${first.state} came back.`,
    {
      expected: first.state === 'TERMINATED' ? 'TERMINATED' : 'TERMINATED or ERRORED',
      actual: then.state,
    },
    then.exchange,
    first.exchange,
  );
}

/** A page under status=terminated shows only terminated instances. TERMINATED is final, so no change can explain others. */
export function onlyTerminated(page: Exchange): Judgement {
  const records = instancesOf(page) ?? [];
  const stray = records.find(({ status }) => status !== 'TERMINATED');
  if (stray === undefined) return pass(records.length);
  return violated(
    'The filter status=terminated returned an instance that is not TERMINATED.',
    { expected: 'TERMINATED', actual: stray },
    page,
  );
}

/**
 * A page under a status filter does not show our instance in a state before the requested one: between the selection of the
 * items and their output an instance may move on, but never back. A page with other instances passes. An empty page is not
 * observed, since a filter that lets nothing through gives the same.
 */
export function neverOnItsWay(
  page: Exchange,
  id: string,
  to: 'RUNNING' | 'STOPPED' | 'TERMINATED',
): Judgement {
  const records = instancesOf(page);
  const shown = records?.find((record) => idOf(record) === id.toLowerCase());
  if (records === undefined || records.length === 0) return notObserved;
  if (shown === undefined || shown['status'] === to) return pass();
  const { status } = shown;
  if (!isInstanceState(status) || status === 'ERRORED') return notObserved;
  if (!mayFollow(status, to, false)) return notObserved;
  return violated(
    `The filter status=${to.toLowerCase()} returned an instance that is still on its way there.`,
    { expected: to, actual: shown },
    page,
  );
}

/** The newest page under a status filter shows our instance, which was in that state before and still is. */
export function hasArrived(page: Exchange, id: string, to: 'RUNNING' | 'STOPPED'): Judgement {
  const records = instancesOf(page);
  if (records === undefined) return notObserved;
  if (idsOf(records).includes(id.toLowerCase())) return pass();
  if (nextCursor(page) !== null) return notObserved;
  return violated(
    `The filter status=${to.toLowerCase()} leaves out an instance that is ${to}.`,
    { expected: id, actual: `${records.length} other instances` },
    page,
  );
}

/** A stop or terminate of an instance that was seen TERMINATED gets 409 (compute#states/terminated-terminate). */
export function refusedOnTerminated(seen: ObservedState, call: Exchange, what: string): Judgement {
  if (seen.state !== 'TERMINATED' || !isInformative(call)) return notObserved;
  if (call.response?.status === 409) return pass();
  // Another refusal may have another cause, such as a bad key or body.
  if (!isSuccess(call)) return notObserved;
  return violated(
    `A ${what} of a terminated instance was accepted.`,
    { expected: 409, actual: answered(call) },
    call,
    seen.exchange,
  );
}
