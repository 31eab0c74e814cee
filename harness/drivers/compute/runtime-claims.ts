/** Whether instances have been there for as long as they claim to have run: the date filters tell when they were created. */

import { type Claim, longestRun } from '../../checks/compute/figures.ts';
import { idsOf, instancesOf, textOf } from '../../checks/compute/records.ts';
import type { ComputeContext } from './context.ts';
import { instant } from './dating.ts';

const DAY_MS = 86_400_000;

/** The longest runtimes that a page of the list claims, each held against the date filter. */
export async function runtimeClaims(
  t: Pick<ComputeContext, 'api'>,
  page: Parameters<typeof longestRun>[0],
): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  for (const { record, hours, midst } of longestRun(page)) {
    const id = (textOf(record, 'instance_id') ?? '').toLowerCase();
    const name = (textOf(record, 'name') ?? '').slice(0, 255);
    const createdAfter = async (since: number) => {
      const query = { free_text_search: name, date_range_begin: instant(since), size: 200 };
      const exchange = await t.api.list(query);
      return { exchange, isListed: idsOf(instancesOf(exchange) ?? []).includes(id) };
    };
    const { exchange, isListed } = await createdAfter(midst);
    // A filter that lets everything through tells no date.
    const isYounger = isListed && !(await createdAfter(Date.now() + DAY_MS)).isListed;
    claims.push({ hours, isYounger, exchange });
  }
  return claims;
}
