/** One figure for a whole organisation (compute#variants/rule-6/same-figure). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { actionRecordOf, numberOf } from './records.ts';

/** Half a unit of a figure rounded to two places, twice: once on each side. */
const ROUNDING = 0.011;
const MS_PER_HOUR = 3_600_000;

/**
 * The remaining hours in three answers to stops of stopped instances: the first instance, the second, the
 * first again. The burn of the organisation may change at any time, so the two answers of the first
 * instance must agree before the second is held against them. `drifting` where they do not.
 */
export function sameRemainingHours(
  first: Exchange,
  second: Exchange,
  again: Exchange,
): Judgement | 'drifting' {
  const [a, b, c] = [first, second, again].map((exchange) => {
    const record = actionRecordOf(exchange);
    return record === undefined ? undefined : numberOf(record, 'ttl_remaining_hours');
  });
  if (a === undefined || b === undefined || c === undefined) return notObserved;
  const elapsed = (again.startedAt + again.durationMs - first.startedAt) / MS_PER_HOUR;
  // Time alone takes an hour of runway in an hour, or a little more when the burn is counted in steps.
  const slack = ROUNDING + 2 * elapsed + 1e-6 * Math.max(Math.abs(a), Math.abs(c));
  if (Math.abs(a - c) > slack) return 'drifting';
  const [low, high] = [Math.min(a, c) - slack, Math.max(a, c) + slack];
  const isSame = b >= low && b <= high;
  // Hours of each instance for itself are the same at the same rate.
  if (isSame && rateIn(first) === rateIn(second)) return notObserved;
  return expectThat(
    isSame,
    'Two instances of one organisation report different remaining hours.',
    { expected: a, actual: b },
    second,
    first,
    again,
  );
}

function rateIn(stop: Exchange): number | undefined {
  return numberOf(actionRecordOf(stop) ?? {}, 'hourly_rate');
}
