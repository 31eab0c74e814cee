/** The provisioned disk in answers to stop and terminate (compute#variants/rule-4). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, vacuous } from '../judgement.ts';
import { actionRecordOf, numberOf } from './records.ts';

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
