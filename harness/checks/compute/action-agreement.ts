/** What the answer to a stop or terminate says of an instance, held against the list around it (compute#variants). */

import { isInstant } from '../../../schemas/compute/wire.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, together, notObserved } from '../judgement.ts';
import { type WireRecord, actionRecordOf, numberOf, textOf } from './records.ts';
import { CREDIT } from './rounding.ts';
import { sameDescription, sameRuntime, unmoved } from './single-record.ts';

/** What neither time nor a market moves while an instance of our own is acted upon. */
const steady = ['name', 'gpu_type', 'cpu_count', 'bandwidth'] as const;
/** A price counts while an instance runs: a list may show another one as soon as it shows another state. */
const RATE = 'hourly_rate';
/** Dates may be written in whole minutes. */
const MINUTE_MS = 60_000;
const SHARE_APART = 0.01;

/** An instance as a list showed it. */
interface Listed {
  readonly record: WireRecord;
  readonly exchange: Exchange;
}

/**
 * The answer describes the instance as the list did just before, and does just after. What differs between those two is
 * left out; without the second, only what an action cannot change is compared.
 */
export function agreesAround(
  before: Listed,
  answer: Exchange,
  after: Listed | undefined,
): Judgement {
  const record = actionRecordOf(answer);
  if (record === undefined) return notObserved;
  const exchanges = [answer, before.exchange];
  const fields = isAhead(before, after) ? [...steady, RATE] : steady;
  const alike = after === undefined ? [] : unmoved(fields, before.record, after.record);
  return together(
    sameDescription(before.record, record, alike, ...exchanges),
    sameRuntime(before.record, record, ...exchanges),
    sameStart(before.record, record, ...exchanges),
    after === undefined
      ? notObserved
      : totalBetween(before.record, record, after.record, ...exchanges),
  );
}

/** Whether the second list shows what the action did already. */
function isAhead(before: Listed, after: Listed | undefined): boolean {
  return after !== undefined && before.record['status'] !== after.record['status'];
}

/** Neither a stop nor a terminate makes an instance begin to run. */
export function sameStart(
  listed: WireRecord,
  answered: WireRecord,
  ...exchanges: readonly Exchange[]
): Judgement {
  const [one = '', other = ''] = [listed, answered].map((record) => textOf(record, 'started_at'));
  if (!isInstant(one) || !isInstant(other)) return notObserved;
  return expectThat(
    Math.abs(Date.parse(one) - Date.parse(other)) < MINUTE_MS,
    'The answer to an action tells another start of the instance than the list.',
    { expected: one, actual: other },
    ...exchanges,
  );
}

/** A meter may add an hour that has begun. */
function totalBetween(
  before: WireRecord,
  answered: WireRecord,
  after: WireRecord,
  ...exchanges: readonly Exchange[]
): Judgement {
  const figures = [before, answered, after].map((one) => numberOf(one, 'total_cost_incurred'));
  const [low, total, high] = figures;
  if (low === undefined || total === undefined || high === undefined) return notObserved;
  const slack = CREDIT + (numberOf(before, 'hourly_rate') ?? 0) + SHARE_APART * Math.max(low, high);
  return expectThat(
    total >= Math.min(low, high) - slack && total <= Math.max(low, high) + slack,
    'The answer to an action tells another total cost than the list before and after it.',
    { expected: `from ${low} to ${high}`, actual: total },
    ...exchanges,
  );
}

/** Two answers to actions on one instance: what a variant says of its hardware is the same in both. */
export function sameHardware(stop: Exchange, terminate: Exchange): Judgement {
  const [first, second] = [stop, terminate].map((answer) => actionRecordOf(answer));
  if (first === undefined || second === undefined) return notObserved;
  // What is being destroyed may have no disk any more.
  const isFreed = numberOf(second, 'storage_used_gb') === 0;
  const fields = ['region', 'size', ...(isFreed ? [] : ['storage_used_gb'])];
  return sameDescription(first, second, fields, terminate, stop);
}
