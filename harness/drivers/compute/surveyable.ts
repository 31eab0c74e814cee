/** A part of a large account that can be seen whole: its newest instances, by a begin date. */

import type { ComputeTarget } from '../../../schemas/compute/target.ts';
import { BEFORE_ALL } from '../../checks/compute/windows.ts';
import type { ComputeApi } from './api.ts';
import { instant, readWindow } from './dating.ts';
import type { ListQuery } from './listing.ts';

const DAY_MS = 86_400_000;
/** Instances that a surveyable part has at least, while others may end some of them. */
const LEAST = 20;
/** A page that is not full shows all that is selected, whatever its cursor says. */
const FULL_PAGE = 200;

const known = new WeakMap<ComputeTarget, Promise<ListQuery>>();

/**
 * A query that selects instances of which one page shows all: everything for an account of less than a page,
 * and the newest twenty to two hundred of a larger one. Searched for once in a session. A deployment whose begin
 * dates tell nothing gets the empty query.
 */
export async function boundedSubset(t: {
  readonly api: ComputeApi;
  readonly target: ComputeTarget;
}): Promise<ListQuery> {
  const before = known.get(t.target);
  if (before !== undefined) return before;
  const search = searchFor(t.api);
  known.set(t.target, search);
  search.catch(() => known.delete(t.target));
  return search;
}

async function searchFor(api: ComputeApi): Promise<ListQuery> {
  const whole = await readWindow(api, {});
  if (whole.ids.length < FULL_PAGE) return {};
  let [early, late] = [BEFORE_ALL, Date.now() + DAY_MS];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    const query = { date_range_begin: instant(middle) };
    const { ids } = await readWindow(api, query);
    if (ids.length >= LEAST && ids.length < FULL_PAGE) return query;
    if (ids.length >= LEAST) early = middle;
    else late = middle;
  }
  return {};
}
