/** Costs and remaining hours in the answers to stops (compute#variants). */

import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved } from '../judgement.ts';
import { CREDIT, HOUR_MS, ROUNDING } from './figures.ts';
import { answeredNumber, numberOf, type WireRecord } from './records.ts';

/** The cost in the response to a stop is not below the total that a list showed before, apart from rounding. */
export function costNotReset(listedBefore: WireRecord, stop: Exchange): Judgement {
  return costAtLeast(listedBefore, stop, (total) => total - CREDIT);
}

/** The same of the total in the response, which is that of the whole life in every variant. */
export function totalNotReset(listedBefore: WireRecord, stop: Exchange): Judgement {
  return costAtLeast(listedBefore, stop, (total) => total - CREDIT, 'total_cost_incurred');
}

/** A first stop ends a run, and its cost may be rounded then: only a cost below half of the total is a violation. */
export function costKept(listedBefore: WireRecord, stop: Exchange): Judgement {
  return costAtLeast(listedBefore, stop, (total) => total / 2);
}

function costAtLeast(
  listedBefore: WireRecord,
  stop: Exchange,
  least: (total: number) => number,
  field: 'current_cost' | 'total_cost_incurred' = 'current_cost',
): Judgement {
  const total = numberOf(listedBefore, 'total_cost_incurred');
  const current = answeredNumber(stop, field);
  if (total === undefined || current === undefined || total <= CREDIT) return notObserved;
  return expectThat(
    current >= least(total),
    `The ${field} in the answer to a stop is below the total cost that was seen before.`,
    { expected: `at least ${least(total)}`, actual: current },
    stop,
  );
}

/**
 * The remaining hours in three responses to stops of stopped instances: the first instance, the second, the first again.
 * The organisation's consumption may change at any time, so the two responses of the first instance must agree before the
 * second is compared with them; otherwise `drifting`.
 */
export function sameRemainingHours(
  first: Exchange,
  second: Exchange,
  repeated: Exchange,
): Judgement | 'drifting' {
  const [a, b, c] = [first, second, repeated].map((stop) =>
    answeredNumber(stop, 'ttl_remaining_hours'),
  );
  if (a === undefined || b === undefined || c === undefined) return notObserved;
  const elapsed = (endOf(repeated) - first.startedAt) / HOUR_MS;
  // Time alone takes an hour of runway per hour, or a little more when consumption is counted in steps.
  const slack = ROUNDING + 2 * elapsed + 1e-6 * Math.max(Math.abs(a), Math.abs(c));
  if (Math.abs(a - c) > slack) return 'drifting';
  const [low, high] = [Math.min(a, c) - slack, Math.max(a, c) + slack];
  const isSame = b >= low && b <= high;
  // A runway that is computed per instance is also equal when the rates are equal.
  if (isSame && answeredNumber(first, 'hourly_rate') === answeredNumber(second, 'hourly_rate'))
    return notObserved;
  return expectThat(
    isSame,
    'Two instances of one organisation report different remaining hours.',
    { expected: a, actual: b },
    second,
    first,
    repeated,
  );
}
