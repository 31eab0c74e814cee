/** What an answer to a stop or terminate says of the state, and what a look says after a refusal. */

import type { InstanceState } from '../../../schemas/compute/states.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved, pass, violated } from '../judgement.ts';
import { type Look, isInstanceState, liesBetween } from './lifecycle-order.ts';
import { actionRecordOf } from './records.ts';

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
    liesBetween(before.status, state, after.status),
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
export function answersFirst(stop: Exchange, meanwhile: readonly Look[]): Judgement {
  const until = stop.startedAt + stop.durationMs - LATE_MS;
  const early = meanwhile.filter(
    ({ exchange }) =>
      exchange.startedAt >= stop.startedAt && exchange.startedAt + exchange.durationMs <= until,
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
