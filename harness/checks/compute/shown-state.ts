/** What an answer to a stop or terminate says of the state, and what a look says after a refusal. */

import type { InstanceState } from '../../../schemas/compute/states.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { isInstanceState, liesBetween } from './lifecycle-order.ts';
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

/** An instance is still in one of these states after a call that must not move it. ERRORED says nothing. */
export function stillIn(
  after: Shown,
  states: readonly InstanceState[],
  call: Exchange,
  what: string,
): Judgement {
  if (after.status === 'ERRORED') return notObserved;
  return expectThat(
    states.some((state) => state === after.status),
    `${what} moved the instance.`,
    { expected: states.join(' or '), actual: after.status },
    call,
    after.exchange,
  );
}
