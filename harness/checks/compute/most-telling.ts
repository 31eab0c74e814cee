/** Which value of a field, as a filter, shows best that the filter was dropped on a later page. */

import { regionCodes } from '../../../schemas/compute/regions.ts';
import { distinctTexts } from './instance-query.ts';
import type { WireRecord } from './records.ts';
import { type TellingPages, tellingPages } from './telling-pages.ts';

/** Values by which a status can be filtered; a region by its code alone. */
const filterable: ReadonlySet<string> = new Set(['RUNNING', 'STOPPED', 'ERRORED', ...regionCodes]);

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
