/** A record that nothing should have changed (compute#states/stopped-stop). */

import { isDeepStrictEqual } from 'node:util';
import { instanceFieldNames, isInstant, movingFields } from '../../../schemas/compute/wire.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import type { WireRecord } from './records.ts';

export interface Unchanged {
  readonly before: WireRecord;
  /** Read the same way as `before`: the two variants describe one instance differently. */
  readonly after: WireRecord;
  readonly exchanges: readonly Exchange[];
  /** Further fields that may move, such as the status of an instance that lives on by itself. */
  readonly apartFrom?: readonly string[];
}

/** A deployment may set its prices anew at any time. */
const PRICE = 'hourly_rate';

/** Only documented fields count, less those that time, the guest or the market moves. */
export function unchanged({ before, after, exchanges, apartFrom = [] }: Unchanged): Judgement {
  const free: ReadonlySet<string> = new Set([...movingFields, PRICE, ...apartFrom]);
  const changed = instanceFieldNames
    .filter((field) => !free.has(field))
    .filter((field) => !isSameValue(before[field] ?? null, after[field] ?? null));
  const pick = (record: WireRecord) =>
    Object.fromEntries(changed.map((field) => [field, record[field] ?? null]));
  return expectThat(
    changed.length === 0,
    `A record changed where nothing should have: ${changed.join(', ')}.`,
    { expected: pick(before), actual: pick(after) },
    ...exchanges,
  );
}

/** Equal values, or one instant that is written in two ways: in another offset it is still the same date. */
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

/** A change that a second look shows as well; one that comes and goes has another cause. */
export function lastingChange(first: Judgement, second: Judgement): Judgement {
  if (first.violations.length === 0) return first;
  return second.violations.length === 0 ? notObserved : first;
}
