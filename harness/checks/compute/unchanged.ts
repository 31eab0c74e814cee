/** A record that nothing should have changed (compute#states/stopped-stop). */

import { isDeepStrictEqual } from 'node:util';
import { instanceFieldNames, movingFields } from '../../../schemas/compute/instance-fields.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat } from '../judgement.ts';
import type { WireRecord } from './records.ts';

export interface Unchanged {
  readonly before: WireRecord;
  /** Read the same way as `before`: the two variants describe one instance differently. */
  readonly after: WireRecord;
  readonly exchanges: readonly Exchange[];
  /** Further fields that may move, such as the status of an instance that lives on by itself. */
  readonly apartFrom?: readonly string[];
}

/** Only documented fields count, less those that time or the guest moves. */
export function unchanged({ before, after, exchanges, apartFrom = [] }: Unchanged): Judgement {
  const free: ReadonlySet<string> = new Set([...movingFields, ...apartFrom]);
  const changed = instanceFieldNames
    .filter((field) => !free.has(field))
    .filter((field) => !isDeepStrictEqual(before[field] ?? null, after[field] ?? null));
  const pick = (record: WireRecord) =>
    Object.fromEntries(changed.map((field) => [field, record[field] ?? null]));
  return expectThat(
    changed.length === 0,
    `A record changed where nothing should have: ${changed.join(', ')}.`,
    { expected: pick(before), actual: pick(after) },
    ...exchanges,
  );
}
