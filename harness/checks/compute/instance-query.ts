/** What filters of the instance list mean, on a record as the list shows it. */

import { statusFilters } from '../../../schemas/compute/list-instances.ts';
import { type WireRecord, textOf } from './records.ts';

/** True when a record is what all given filters mean. Sorts and anything else select nothing. */
export function matchesQuery(
  record: WireRecord,
  query: {
    readonly status?: string | undefined;
    readonly region?: string | undefined;
    readonly gpu_type?: string | undefined;
  },
): boolean {
  const wanted = new Map<string, string>(Object.entries(statusFilters));
  return (
    (query.status === undefined || record['status'] === wanted.get(query.status)) &&
    (query.region === undefined || record['region'] === query.region) &&
    (query.gpu_type === undefined || record['gpu_type'] === query.gpu_type)
  );
}

/** The distinct texts of a field, in the order in which they come; empty text is no value to filter by. */
export function distinctTexts(records: readonly WireRecord[], field: string): readonly string[] {
  const texts = records.map((record) => textOf(record, field) ?? '').filter((text) => text !== '');
  return [...new Set(texts)];
}
