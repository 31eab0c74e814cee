/** Filtered lists that are held against the default list, for what they select and for their order. */

import { commonOrder } from '../../checks/collection/filter.ts';
import type { WholeList } from './against.ts';
import { type Listing, type ListQuery, readInstances } from '../collection/reading.ts';
import type { ComputeContext } from './session.ts';
import { differsByTies } from '../collection/dating.ts';

/** What a query selected, and whether it differs from the default order by nothing but ties. */
export interface Filtered {
  readonly part: Listing;
  readonly isTied: boolean;
}

/** How often ties were found: where they stand anyhow, every further list would be dated for nothing. */
const tiesOf = new WeakMap<object, number>();
const TIES_THAT_CONVINCE = 2;

/** Reads what a query selects. Where it comes in another order than the default list, some pairs are dated. */
export async function readFiltered(
  t: Pick<ComputeContext, 'api' | 'session'>,
  whole: WholeList,
  query: ListQuery,
): Promise<Filtered> {
  const part = await readInstances(t.api, query);
  const { expected, actual } = commonOrder(await whole.known(), part);
  const ties = tiesOf.get(t.session) ?? 0;
  if (ties >= TIES_THAT_CONVINCE) return { part, isTied: true };
  const isTied = await differsByTies(t.api, expected, actual);
  if (isTied) tiesOf.set(t.session, ties + 1);
  return { part, isTied };
}
