/** Which instances a query gives, asked while something else is judged by it. */

import { idsOf, type WireRecord } from '../../checks/compute/records.ts';
import type { ComputeContext } from './context.ts';
import { type ListQuery, readInstances } from './listing.ts';

/** Whether an instance is among those that a query gives now. */
export async function among(
  t: Pick<ComputeContext, 'api'>,
  query: ListQuery,
): Promise<(record: WireRecord) => boolean> {
  const { ids } = await readInstances(t.api, query);
  const inside = new Set(ids);
  return (record) => idsOf([record]).some((id) => inside.has(id));
}
