/** What responses to actions say about the state, and the responses to a repeated terminate (compute#states). */

import type { InstanceState } from '../../../schemas/compute/states.ts';
import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import { isForward, isInstanceState, type ObservedState } from './lifecycle.ts';
import { actionRecordOf, isSuccess, numberOf, textOf, type WireRecord } from './records.ts';
import { answered, isInformative } from './answers.ts';
import { codeOf } from './envelope.ts';
import { LAG_MS } from './settling.ts';

/** A state as read; `status` may be any text. */
export interface Shown {
  readonly status: string;
  readonly exchange: Exchange;
}

/** The state in the response to an accepted stop or terminate; undefined when it is not a documented one. */
export function stateIn(answer: Exchange): InstanceState | undefined {
  const status = actionRecordOf(answer)?.['status'];
  return isInstanceState(status) ? status : undefined;
}

/** The state in a response lies between the states that were read before and after it. */
export function shownBetween(before: Shown, answer: Exchange, after: Shown): Judgement {
  const state = stateIn(answer);
  if (state === undefined || !isInstanceState(before.status) || !isInstanceState(after.status)) {
    return notObserved;
  }
  return expectThat(
    isForward(before.status, state, false) && isForward(state, after.status, false),
    'The state in the answer lies outside those seen before and after.',
    { expected: `from ${before.status} to ${after.status}`, actual: state },
    answer,
    before.exchange,
    after.exchange,
  );
}

/** An instance is still in one of `states` after a call that must not move it. ERRORED, no state or no read is not judged. */
export function stillIn(
  after: Shown | undefined,
  states: readonly InstanceState[],
  call: Exchange,
  what: string,
): Judgement {
  if (!isInstanceState(after?.status) || after.status === 'ERRORED') return notObserved;
  return expectThat(
    states.some((state) => state === after.status),
    `${what} moved the instance.`,
    { expected: states.join(' or '), actual: after.status },
    call,
    after.exchange,
  );
}

/** Milliseconds by which the response to a stop may come after its effect, because of the network or by chance. */
const LATE_MS = 250;

/** A stop is answered before the instance has stopped: no read that ended well before the response shows STOPPED. */
export function answersFirst(stop: Exchange, meanwhile: readonly ObservedState[]): Judgement {
  const until = endOf(stop) - LATE_MS;
  const early = meanwhile.filter(
    ({ exchange }) => exchange.startedAt >= stop.startedAt && endOf(exchange) <= until,
  );
  const stopped = early.find(({ state }) => state === 'STOPPED');
  if (stopped === undefined) return pass(early.length);
  return violated(
    'A stop was answered long after the instance had stopped.',
    { expected: 'an answer as soon as the stop is accepted', actual: `${stop.durationMs} ms` },
    stop,
    stopped.exchange,
  );
}

/**
 * A repeated terminate is accepted or answered with 500 while the instance is TERMINATING; both responses are correct only
 * in that state. A 409 may come from an instance that has just settled: `earlyConflicts` judges it.
 */
export function repeatedTerminate(answer: Exchange, after: Shown | undefined): Judgement {
  // A 503 of a proxy is trouble on the way; one with the service's own envelope is judged.
  if (!isInformative(answer) && codeOf(answer) === undefined) return notObserved;
  const status = answer.response?.status;
  if (status === 429 || status === 409) return notObserved;
  if (isSuccess(answer) || status === 500) return pass();
  if (after?.status === 'ERRORED') return notObserved;
  return violated(
    'A repeated terminate of an instance that is being destroyed was neither accepted nor answered with 500.',
    {
      expected:
        after === undefined || after.status === 'TERMINATED'
          ? 'a 2xx status, 500 or 409'
          : 'a 2xx status or 500',
      actual: answered(answer),
    },
    answer,
    ...(after === undefined ? [] : [after.exchange]),
  );
}

/** Milliseconds by which reads may lag when they have shown no lag. */
const HARDLY_BEHIND_MS = 250;
/** Factor by which the lag of later reads may exceed the lag that the first read allows for. */
const LAG_MAY_GROW = 10;

/**
 * Repeated terminates got 409 although reads that began well after them still show TERMINATING. Reads may come from a
 * replica that lags, and then show TERMINATING for a while after the instance has settled. The first read after the
 * accepted terminate shows how large the lag is.
 */
export function earlyConflicts(
  accepted: Exchange,
  conflicts: readonly Exchange[],
  states: readonly ObservedState[],
): Judgement {
  const [conflict] = conflicts;
  const since = states.filter(({ exchange }) => exchange.startedAt >= endOf(accepted));
  const [first] = since;
  const still = since.findLast(({ state }) => state === 'TERMINATING');
  if (conflict === undefined || first === undefined || still === undefined) return notObserved;
  const isFresh = first.state === 'TERMINATING';
  const age = first.exchange.startedAt - endOf(accepted);
  const patience = isFresh ? Math.max(HARDLY_BEHIND_MS, LAG_MAY_GROW * age) : LAG_MS;
  if (still.exchange.startedAt - endOf(conflict) <= Math.min(patience, LAG_MS)) return notObserved;
  return violated(
    'A repeated terminate was refused as a conflict long before the instance was TERMINATED.',
    { expected: 'a 2xx status or 500', actual: `${answered(conflict)}, and then TERMINATING` },
    conflict,
    still.exchange,
  );
}

/** A terminate gets no 409 while a read after it still shows another state than TERMINATED. */
export function noEarlyConflict(answer: Exchange, after: Shown | undefined): Judgement {
  if (!isInformative(answer)) return notObserved;
  if (answer.response?.status !== 409) return pass();
  if (after === undefined || after.status === 'TERMINATED' || after.status === 'ERRORED') {
    return notObserved;
  }
  return violated(
    'A terminate was refused as a conflict before the instance was TERMINATED.',
    { expected: 'no 409', actual: `409, and then ${after.status}` },
    answer,
    after.exchange,
  );
}

/** Remaining hours at which an instance may stop by itself before the case reads it again. */
const NEAR_HOURS = 0.1;

/**
 * Whether an instance may have moved from `before` to `after` by itself. `listed` is its record in a list from before the
 * case acted: only this record shows the remaining hours, or a stop that was already in progress. A service with instances
 * that run at zero remaining hours stops none by itself.
 */
export function mayBeAutomatic(
  before: string,
  after: string,
  listed: WireRecord | undefined,
): boolean {
  if (!isStop(after)) return false;
  if (before !== 'RUNNING' || listed === undefined) return before === 'STOPPING';
  const hours = numberOf(listed, 'ttl_remaining_hours');
  const isNear = hours !== undefined && hours > 0 && hours <= NEAR_HOURS;
  return isNear || isStop(textOf(listed, 'status'));
}

/** Whether an instance in this state is stopped, or about to be. */
export function isStop(state: string | undefined): boolean {
  return state === 'STOPPING' || state === 'STOPPED';
}
