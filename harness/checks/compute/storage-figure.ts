/** The provisioned disk in answers to stop and terminate (compute#variants/rule-4). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, vacuous } from '../judgement.ts';
import { type WireRecord, actionRecordOf, numberOf } from './records.ts';

/** Units of a figure may differ by less than this factor: decimal and binary gigabytes do. */
const UNITS_APART = 2;

/** Two answers about one instance show the same disk; answers without a figure say nothing. */
export function sameDisk(before: Exchange, after: Exchange, since: string): Judgement {
  const [first, second] = [before, after].map((exchange) => {
    const record = actionRecordOf(exchange);
    return record === undefined ? undefined : numberOf(record, 'storage_used_gb');
  });
  if (first === undefined || second === undefined) return vacuous;
  return expectThat(
    first === second,
    `The provisioned disk of an instance changed ${since}.`,
    { expected: first, actual: second },
    after,
    before,
  );
}

/** The disk that the answer to a stop shows has room for what a list showed in use before. */
export function diskKept(listed: WireRecord, stop: Exchange): Judgement {
  const record = actionRecordOf(stop);
  const used = numberOf(listed, 'storage_used_gb');
  const disk = record === undefined ? undefined : numberOf(record, 'storage_used_gb');
  if (used === undefined || disk === undefined || used === 0) return vacuous;
  return expectThat(
    used <= disk * UNITS_APART,
    'The disk of an instance that is stopped has no room for what was in use before.',
    { expected: `at least ${used}`, actual: disk },
    stop,
  );
}
