/** Which value of each field, as a filter, shows best that the filter was dropped on a later page. */

import { regionCodes } from '../../../schemas/compute/regions.ts';
import { distinctTexts } from './instance-query.ts';
import type { WireRecord } from './records.ts';
import { type TellingPages, tellingPages } from './telling-pages.ts';

/** Values by which a status can be filtered; a region by its code alone. */
const filterable: ReadonlySet<string> = new Set(['RUNNING', 'STOPPED', 'ERRORED', ...regionCodes]);

/** A filter whose pages tell, each of `size`. */
export interface TellingFilter {
  readonly filter: Readonly<Record<string, string>>;
  readonly matches: (record: WireRecord) => boolean;
  readonly size: number;
}

/** Filters by GPU type, region and status, each by the value that tells most; none for a field that has no such value. */
export function tellingFilters(
  records: readonly WireRecord[],
  lastPage: number,
): readonly TellingFilter[] {
  return (['gpu_type', 'region', 'status'] as const).flatMap((field) => {
    const chosen = mostTelling(records, field, lastPage);
    if (chosen === undefined) return [];
    const { value, size } = chosen;
    return {
      filter: { [field]: field === 'status' ? value.toLowerCase() : value },
      matches: (record: WireRecord) => record[field] === value,
      size,
    };
  });
}

/** The value of a field, and the size of page, by which most of the pages up to `lastPage` would show it. */
export function mostTelling(
  records: readonly WireRecord[],
  field: 'gpu_type' | 'region' | 'status',
  lastPage: number,
): (TellingPages & { readonly value: string }) | undefined {
  const [best] = distinctTexts(records, field)
    .filter((value) => field === 'gpu_type' || filterable.has(value))
    .flatMap((value) => {
      const selected = records.map((record) => record[field] === value);
      const pages = tellingPages(selected, lastPage);
      return pages === undefined ? [] : [{ value, ...pages }];
    })
    .toSorted((one, other) => other.telling - one.telling);
  return best;
}
