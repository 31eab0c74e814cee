/** The record of a single instance against the list (compute#get). Which variant it follows is open. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { type WireRecord, numberOf, textOf } from './records.ts';

/** What both variants describe alike, and time alone does not move; the owner may, and a price may follow a market. */
export const describedAlike = ['name', 'gpu_type', 'cpu_count', 'hourly_rate'] as const;
/** What makes an instance the same one after it was started. */
export const identity = ['instance_id', 'name', 'gpu_type'] as const;

/** The record carries the id that was asked for; one that carries none says nothing. */
export function namesInstance(record: WireRecord, id: string, exchange: Exchange): Judgement {
  const named = record['instance_id'];
  if (named === undefined) return notObserved;
  return expectThat(
    typeof named === 'string' && named.toLowerCase() === id.toLowerCase(),
    'The record is that of another instance.',
    { expected: id, actual: named },
    exchange,
  );
}

/** Of these members, those that both records have are the same in both. */
export function sameDescription(
  listed: WireRecord,
  single: WireRecord,
  fields: readonly string[],
  ...exchanges: readonly Exchange[]
): Judgement {
  const shared = fields.filter((field) => field in listed && field in single);
  if (shared.length === 0) return notObserved;
  const different = shared.filter((field) => !isSameFigure(listed[field], single[field]));
  const pick = (record: WireRecord) =>
    Object.fromEntries(different.map((field) => [field, record[field]]));
  return expectThat(
    different.length === 0,
    `Two records of one instance differ in ${different.join(', ')}.`,
    { expected: pick(listed), actual: pick(single) },
    ...exchanges,
  );
}

/** Half a unit of a figure rounded to one place, and what binary fractions add to it; a hundredth of a large one. */
const ROUNDED_TO = 0.051;
const ROUNDED_SHARE = 0.01;

/** The same value, or the same figure in two places that round it differently. */
function isSameFigure(one: unknown, other: unknown): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return one === other;
  const largest = Math.max(Math.abs(one), Math.abs(other));
  // Whole figures are counts, and were never rounded.
  if (Number.isInteger(one) && Number.isInteger(other)) return one === other;
  return Math.abs(one - other) <= Math.max(ROUNDED_TO, ROUNDED_SHARE * largest);
}

/** What answers to stops describe as lists do: the rules on variants leave it alone. */
export const alikeInAnswers = [...describedAlike, 'bandwidth'] as const;

/** Either figure may be rounded to the hour. */
const HOURS_APART = 1;
const SHARE_APART = 0.01;

/** The runtime of a stopped instance is the same in two records, but for how it is rounded. */
export function sameRuntime(
  listed: WireRecord,
  answered: WireRecord,
  ...exchanges: readonly Exchange[]
): Judgement {
  const [one, other] = [listed, answered].map((record) => numberOf(record, 'total_runtime_hours'));
  if (one === undefined || other === undefined) return notObserved;
  return expectThat(
    Math.abs(one - other) <= HOURS_APART + SHARE_APART * Math.max(one, other),
    'Two records of one stopped instance differ in total_runtime_hours.',
    { expected: one, actual: other },
    ...exchanges,
  );
}

/** Those of these members that are the same in two records, of one instance at two times: nothing moved them meanwhile. */
export function unmoved(
  fields: readonly string[],
  before: WireRecord,
  after: WireRecord,
): readonly string[] {
  return fields.filter((field) => before[field] === after[field]);
}

/** Which description of the record the single read follows, for people. */
export function variantOf(listed: WireRecord, single: WireRecord): string {
  const same = (field: string): boolean => textOf(listed, field) === textOf(single, field);
  if (same('region') && same('size')) return 'the variant of lists';
  if (!same('region') && !same('size')) return 'the variant of stop and terminate answers';
  return 'a mixture of both variants';
}
