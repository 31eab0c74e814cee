/** Which states may be seen one after the other, and that what was terminated stays so (compute#states/order, compute#overview/terminated-final). */

import {
  type InstanceState,
  instanceStates,
  lifecycleOrder,
} from '../../../schemas/compute/states.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import { answered, isInformative } from './answers.ts';
import { nextCursor } from '../collection/bounds.ts';
import { idsOf, instancesOf, isSuccess, textOf } from './records.ts';

/** One look at an instance. */
export interface ObservedState {
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

/** Whether an instance leaves this state by itself; others may destroy one that is ours. */
export function isPassing(state: InstanceState): boolean {
  return (
    state === 'STOPPING' || state === 'TERMINATING' || (boot.has(state) && state !== 'RUNNING')
  );
}

/** Judges looks at one instance, in the order in which they were taken; one look alone says nothing. */
export function orderKept(states: readonly ObservedState[]): Judgement {
  return eachStep(states, mayFollow, 'An instance moved against the documented order.');
}

/** Judges the steps up to RUNNING. */
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

/** States that nobody can lead an instance back from. */
export function isDying({ state }: Pick<ObservedState, 'state'>): boolean {
  return dying.has(state);
}

/**
 * Two looks at one instance on which others may have acted in between, unseen: only what no act brings about is
 * wrong. Says nothing unless the first look saw it being destroyed.
 */
export function neverComesBack(first: ObservedState, then: ObservedState): Judgement {
  if (!isDying(first)) return notObserved;
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

/**
 * A page under status=terminated shows nothing else. TERMINATED is final: unlike other states it cannot have
 * changed between the choice of the page and its making.
 */
export function onlyTerminated(page: Exchange): Judgement {
  const records = instancesOf(page) ?? [];
  const stray = records.find(({ status }) => status !== 'TERMINATED');
  if (stray === undefined) return pass(records.length);
  return violated(
    'The filter status=terminated let through what is not.',
    { expected: 'TERMINATED', actual: stray },
    page,
  );
}

/**
 * A page under a status filter does not show an instance of ours in a state from which it is still to come to the one
 * that is asked for: between the choice of the page and its making an instance moves on, and never back. A page of
 * others keeps to that; an empty one would be the same under a filter that lets nothing through.
 */
export function neverOnItsWay(
  page: Exchange,
  id: string,
  to: 'RUNNING' | 'STOPPED' | 'TERMINATED',
): Judgement {
  const records = instancesOf(page);
  const shown = records?.find(
    (record) => textOf(record, 'instance_id')?.toLowerCase() === id.toLowerCase(),
  );
  if (records === undefined || records.length === 0) return notObserved;
  if (shown === undefined || shown['status'] === to) return pass();
  const { status } = shown;
  if (!isInstanceState(status) || status === 'ERRORED') return notObserved;
  if (!mayFollow(status, to, false)) return notObserved;
  return violated(
    `The filter status=${to.toLowerCase()} let through what is on its way there.`,
    { expected: to, actual: shown },
    page,
  );
}

/**
 * The newest page under a status filter shows an instance of ours that was in that state before it was read, and is still.
 * A page that is full may lack it.
 */
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

/** A stop or terminate of an instance that was seen TERMINATED before is refused with 409 (compute#states/terminated-terminate). */
export function refusedOnTerminated(seen: ObservedState, call: Exchange, what: string): Judgement {
  if (seen.state !== 'TERMINATED' || !isInformative(call)) return notObserved;
  if (call.response?.status === 409) return pass();
  // Another refusal may have another reason: a bad key, a bad body.
  if (!isSuccess(call)) return notObserved;
  return violated(
    `A ${what} of a terminated instance was accepted.`,
    { expected: 409, actual: answered(call) },
    call,
    seen.exchange,
  );
}
