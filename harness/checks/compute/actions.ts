/** What answers to actions say of the state, and how a terminate that is repeated is answered (compute#states). */

import type { InstanceState } from '../../../schemas/compute/states.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import { endOf } from '../reading.ts';
import { isForward, isInstanceState, type ObservedState } from './lifecycle.ts';
import { actionRecordOf, isSuccess, numberOf, textOf, type WireRecord } from './records.ts';
import { answered, isInformative } from './answers.ts';
import { codeOf } from './envelope.ts';
import { LAG_MS } from './settling.ts';

/** A state as a look showed it; `status` may be anything. */
export interface Shown {
  readonly status: string;
  readonly exchange: Exchange;
}

/** The state in the answer to an accepted stop or terminate; undefined when it shows no documented one. */
export function stateIn(answer: Exchange): InstanceState | undefined {
  const status = actionRecordOf(answer)?.['status'];
  return isInstanceState(status) ? status : undefined;
}

/** The state in an answer lies between those that looks before and after it showed. */
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

/** An instance is still in one of these states after a call that must not move it. ERRORED, or none, says nothing. */
export function stillIn(
  after: Shown | undefined,
  states: readonly InstanceState[],
  call: Exchange,
  what: string,
): Judgement {
  if (after === undefined || after.status === 'ERRORED') return notObserved;
  return expectThat(
    states.some((state) => state === after.status),
    `${what} moved the instance.`,
    { expected: states.join(' or '), actual: after.status },
    call,
    after.exchange,
  );
}

/** Milliseconds by which the answer to a stop may be later than what it set off, on its way or by chance. */
const LATE_MS = 250;

/** A stop is answered before the instance has stopped: no look that began and ended long before the answer shows STOPPED. */
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
 * A repeated terminate is accepted or answered with 500 as long as the instance is TERMINATING. Both answers are
 * right in that state alone, so they show it. A 409 may be that of an instance that has just settled: `earlyConflicts`
 * tells.
 */
export function repeatedTerminate(answer: Exchange, after: Shown | undefined): Judgement {
  // A proxy's 503 is trouble on the way; one with the service's own envelope is its word.
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

/** Milliseconds that looks may be behind where none was seen to be so. */
const HARDLY_BEHIND_MS = 250;
/** How much further behind looks may get than the freshest that the first of them is known to be. */
const LAG_MAY_GROW = 10;

/**
 * Repeated terminates that were a conflict although looks that began well after them still show TERMINATING. Looks may
 * be those of a copy that lags behind, and then show it for a while after the instance has settled: how fresh they are
 * shows in the first look after the terminate that was accepted.
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
    'A repeated terminate was a conflict long before the instance was TERMINATED.',
    { expected: 'a 2xx status or 500', actual: `${answered(conflict)}, and then TERMINATING` },
    conflict,
    still.exchange,
  );
}

/** A terminate is no conflict while a look after it still shows another state than TERMINATED. */
export function noEarlyConflict(answer: Exchange, after: Shown | undefined): Judgement {
  if (!isInformative(answer)) return notObserved;
  if (answer.response?.status !== 409) return pass();
  if (after === undefined || after.status === 'TERMINATED' || after.status === 'ERRORED') {
    return notObserved;
  }
  return violated(
    'A terminate was a conflict before the instance was TERMINATED.',
    { expected: 'no 409', actual: `409, and then ${after.status}` },
    answer,
    after.exchange,
  );
}

/** Hours left at which the end may come before a case has looked again. */
const NEAR_HOURS = 0.1;

/**
 * Whether an instance that was `before` and is `after` may have got there by itself. `listed` is its record in a list, read
 * before whatever may have moved it: nothing else tells how many hours it has, and one that shows a stop was on its way
 * already. A service that shows no hours left, and lets instances run, stops none by itself.
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

function isStop(state: string | undefined): boolean {
  return state === 'STOPPING' || state === 'STOPPED';
}
