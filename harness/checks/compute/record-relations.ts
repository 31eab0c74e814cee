/** Two records of one instance: lists, single reads, actions (compute#get, #variants, #states/stopped-stop). */

import { isInstant, instanceFieldNames, movingFields } from '../../../schemas/compute/wire.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, together } from '../judgement.ts';
import { answeredRecord, numberOf, type ShownRecord, textOf, type WireRecord } from './records.ts';
import { CREDIT } from './figures.ts';
import { instants } from './runs.ts';

/** Fields that both variants describe alike. Time does not change them, but the owner may, and prices may change. */
export const describedAlike = ['name', 'gpu_type', 'cpu_count', 'hourly_rate'] as const;
/** Fields that identify an instance after it was started. */
export const identity = ['instance_id', 'name', 'gpu_type'] as const;

/** The record has the requested id; a record without an id is not judged. */
export function namesInstance({ record, exchange }: ShownRecord, id: string): Judgement {
  const named = record['instance_id'];
  if (named === undefined) return notObserved;
  return expectThat(
    typeof named === 'string' && named.toLowerCase() === id.toLowerCase(),
    'The record is that of another instance.',
    { expected: id, actual: named },
    exchange,
  );
}

/** Both records have the same values in those of these members that both have. */
export function sameDescription(
  { record: one, exchange }: ShownRecord,
  { record: other, exchange: later }: ShownRecord,
  fields: readonly string[],
): Judgement {
  const shared = fields.filter((field) => field in one && field in other);
  if (shared.length === 0) return notObserved;
  const different = shared.filter((field) => !isSameFigure(one[field], other[field]));
  return expectThat(
    different.length === 0,
    `Two records of one instance differ in ${different.join(', ')}.`,
    { expected: membersOf(one, different), actual: membersOf(other, different) },
    later,
    exchange,
  );
}

/** A list that showed another region and size of an instance than the answer to its stop does not show those later. */
export function listedInItsWay(
  before: ShownRecord,
  answered: ShownRecord,
  after: ShownRecord,
): Judgement {
  const values = (field: string) =>
    [before, answered, after].map(({ record }) => textOf(record, field));
  const apart = ['region', 'size'].filter((field) => {
    const [listed, shown] = values(field);
    return listed !== undefined && shown !== undefined && listed !== shown;
  });
  if (apart.length === 0) return notObserved;
  const turned = apart.find((field) => values(field)[1] === values(field)[2]);
  return expectThat(
    turned === undefined,
    `A list shows the ${turned} of an answer to an action, and showed another one before.`,
    { expected: turned && before.record[turned], actual: turned && after.record[turned] },
    after.exchange,
    answered.exchange,
    before.exchange,
  );
}

/** Rounding error of a figure with one decimal, with binary fractions, and as a share of a large figure. */
const ROUNDED_TO = 0.051;
const ROUNDED_SHARE = 0.01;

/** The same value, or one figure that two places round differently. */
function isSameFigure(one: unknown, other: unknown): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return one === other;
  const largest = Math.max(Math.abs(one), Math.abs(other));
  // Integers are counts and are not rounded.
  if (Number.isInteger(one) && Number.isInteger(other)) return one === other;
  return Math.abs(one - other) <= Math.max(ROUNDED_TO, ROUNDED_SHARE * largest);
}

/** Fields that responses to stops describe as lists do: the variant rules do not mention them. */
export const alikeInAnswers = [...describedAlike, 'bandwidth'] as const;

/** Either figure may be rounded to whole hours. */
const HOURS_APART = 1;
const SHARE_APART = 0.01;

/** The runtime of a stopped instance is the same in two records, apart from rounding. */
export function sameRuntime(listed: ShownRecord, answered: ShownRecord): Judgement {
  const [one, other] = [listed, answered].map(({ record }) =>
    numberOf(record, 'total_runtime_hours'),
  );
  if (one === undefined || other === undefined) return notObserved;
  return expectThat(
    Math.abs(one - other) <= HOURS_APART + SHARE_APART * Math.max(one, other),
    'Two records of one stopped instance differ in total_runtime_hours.',
    { expected: one, actual: other },
    answered.exchange,
    listed.exchange,
  );
}

/** Those of `fields` that are the same in two records of one instance, read at two times. */
export function unmoved(
  fields: readonly string[],
  before: WireRecord,
  after: WireRecord,
): readonly string[] {
  return fields.filter((field) => before[field] === after[field]);
}

/** The variant that the single read follows, as text. */
export function variantOf(listed: WireRecord, single: WireRecord): string {
  const same = (field: string): boolean => textOf(listed, field) === textOf(single, field);
  if (same('region') && same('size')) return 'the variant of lists';
  if (!same('region') && !same('size')) return 'the variant of stop and terminate answers';
  return 'a mixture of both variants';
}

/** Fields that neither time nor prices change while the case acts on its own instance. */
const steady = ['name', 'gpu_type', 'cpu_count', 'bandwidth'] as const;

/** Dates may be written in whole minutes. */
const MINUTE_MS = 60_000;
const TOTAL_SHARE_APART = 0.01;

/**
 * The response describes the instance as the list did just before and does just after. Fields that differ between those two
 * are left out. Without `after`, only what an action cannot change is compared.
 */
export function agreesAround(
  before: ShownRecord,
  answer: Exchange,
  after: ShownRecord | undefined,
): Judgement {
  const answered = answeredRecord(answer);
  if (answered === undefined) return notObserved;
  const alone = together(sameRuntime(before, answered), sameStart(before, answered));
  if (after === undefined) return alone;
  // The price applies to a running instance: a list may show another price with another state.
  const isMoved = before.record['status'] !== after.record['status'];
  const fields = isMoved ? [...steady, 'hourly_rate'] : steady;
  return together(
    sameDescription(before, answered, unmoved(fields, before.record, after.record)),
    alone,
    totalBetween(before, answered, after),
  );
}

/** Neither a stop nor a terminate starts an instance, so `started_at` stays the same. */
export function sameStart(listed: ShownRecord, answered: ShownRecord): Judgement {
  const starts = instants(listed.record, answered.record, 'started_at');
  if (starts === undefined) return notObserved;
  const [expected, actual] = starts;
  return expectThat(
    Math.abs(Date.parse(expected) - Date.parse(actual)) < MINUTE_MS,
    'The answer to an action tells another start of the instance than the list.',
    { expected, actual },
    answered.exchange,
    listed.exchange,
  );
}

/** The total cost in a response to an action is between those in two lists around it; a begun hour may be added. */
export function totalBetween(
  before: ShownRecord,
  answered: ShownRecord,
  after: ShownRecord,
): Judgement {
  const [low, total, high] = [before, answered, after].map(({ record }) =>
    numberOf(record, 'total_cost_incurred'),
  );
  if (low === undefined || total === undefined || high === undefined) return notObserved;
  const price = numberOf(before.record, 'hourly_rate') ?? 0;
  const slack = CREDIT + price + TOTAL_SHARE_APART * Math.max(low, high);
  return expectThat(
    total >= Math.min(low, high) - slack && total <= Math.max(low, high) + slack,
    'The answer to an action tells another total cost than the list before and after it.',
    { expected: `from ${low} to ${high}`, actual: total },
    answered.exchange,
    before.exchange,
  );
}

/** Two responses to actions on one instance describe the same hardware. */
export function sameHardware(stop: Exchange, terminate: Exchange): Judgement {
  const [first, second] = [stop, terminate].map(answeredRecord);
  if (first === undefined || second === undefined) return notObserved;
  // An instance that is being destroyed may have no disk any more.
  const isFreed = numberOf(second.record, 'storage_used_gb') === 0;
  return sameDescription(first, second, [
    'region',
    'size',
    ...(isFreed ? [] : ['storage_used_gb']),
  ]);
}

interface Unchanged {
  readonly before: WireRecord;
  /** Read the same way as `before`, since the two variants describe one instance differently. */
  readonly after: WireRecord;
  readonly exchanges: readonly Exchange[];
  /** Further fields that may change, such as the status of an instance that goes on by itself. */
  readonly apartFrom?: readonly string[];
}

/** Compares documented fields, without those that time, the guest or the market changes. */
export function unchanged({ before, after, exchanges, apartFrom = [] }: Unchanged): Judgement {
  // A deployment may change its prices at any time.
  const free: ReadonlySet<string> = new Set([...movingFields, 'hourly_rate', ...apartFrom]);
  const changed = instanceFieldNames.filter(
    (field) => !free.has(field) && !isSameValue(before[field] ?? null, after[field] ?? null),
  );
  return expectThat(
    changed.length === 0,
    `A record changed where nothing should have: ${changed.join(', ')}.`,
    { expected: membersOf(before, changed), actual: membersOf(after, changed) },
    ...exchanges,
  );
}

function membersOf(record: WireRecord, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
}

/** Equal values, or one instant written with two offsets. */
function isSameValue(before: unknown, after: unknown): boolean {
  if (isDeepStrictEqual(before, after)) return true;
  const [one, other] = [instantOf(before), instantOf(after)];
  return one !== undefined && one === other;
}

function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !isInstant(value)) return undefined;
  const instant = Date.parse(value.toUpperCase());
  return Number.isNaN(instant) ? undefined : instant;
}

/** Fields that two reads after a call show otherwise: they go on by themselves. The state does so after a call, too. */
export function restlessIn(first: WireRecord, second: WireRecord): readonly string[] {
  const still = new Set(unmoved(instanceFieldNames, first, second));
  return instanceFieldNames.filter((field) => field !== 'status' && !still.has(field));
}

/** A change that a second read confirms; a change that comes and goes has another cause. */
export function lastingChange(first: Judgement, second: Judgement): Judgement {
  if (first.violations.length === 0) return first;
  return second.violations.length === 0 ? notObserved : first;
}
