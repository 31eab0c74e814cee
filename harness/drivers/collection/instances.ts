/** Reads the instances of an account in parts that can be judged while the account is large or changes. */

import { distinctTexts } from '../../checks/collection/chosen-values.ts';
import { idOf, numberOf, type WireRecord } from '../../checks/compute/records.ts';
import type { ComputeContext } from '../compute/api.ts';
import { experiment } from '../compute/standing.ts';
import { ever, findSpan, bisected, instant } from './dating.ts';
import {
  type ListingOptions,
  type ListQuery,
  readInstances,
  readPresetList,
  readWindow,
} from './reading.ts';
import { requireItems, type WholeList, wholeList } from './whole-list.ts';

/** The instances of the primary key: the newest 800 of a larger account. */
export function wholeInstances(
  t: Pick<ComputeContext, 'api' | 'signal' | 'session'>,
  query: ListQuery = {},
  options: ListingOptions = {},
): WholeList {
  const read = async (...asked: [ListQuery, ListingOptions]) => readInstances(t.api, ...asked);
  return wholeList(t, 'instances', read, query, options);
}

/** The presets: the first 800 of a larger catalogue. */
export function wholePresets(
  t: Pick<ComputeContext, 'api' | 'bindings' | 'signal' | 'session'>,
): WholeList {
  return wholeList(t, 'presets', async (...asked) => readPresetList(t.api, t.bindings, ...asked));
}

/** A predicate for the instances that a query returns now. */
export async function inSet(
  t: Pick<ComputeContext, 'api'>,
  query: ListQuery,
): Promise<(record: WireRecord) => boolean> {
  const { ids } = await readInstances(t.api, query);
  const inside = new Set(ids);
  return (record) => inside.has(idOf(record));
}

/** Fewest instances of a bounded part, since others may terminate some of them meanwhile. */
const LEAST = 20;
/** A page that is not full shows everything that is selected, whatever its cursor says. */
const FULL_PAGE = 200;

/** A query for the newest 20 to 199 instances, which fit on one page; empty if all fit, or no begin date works. */
export const boundedSubset = experiment(async ({ api }): Promise<ListQuery> => {
  const whole = await readWindow(api, {});
  if (whole.ids.length < FULL_PAGE) return {};
  return (await boundedSelection(api, 'begin'))?.query ?? {};
});

/**
 * The same with the oldest instances, if those differ and the newest are all alike or have all cost next to nothing, as
 * those of a nightly suite and of this run.
 */
export const variedSubset = experiment(async (t): Promise<ListQuery> => {
  const newest = await boundedSubset(t);
  if (Object.keys(newest).length === 0) return newest;
  const { records } = await readWindow(t.api, newest);
  const oldest = isVaried(records) ? undefined : await boundedSelection(t.api, 'end');
  return oldest !== undefined && isVaried(oldest.records) ? oldest.query : newest;
});

/** Credits between two costs that a wrong order of costs shows. */
const COSTS_APART = 10;

function isVaried(records: readonly WireRecord[]): boolean {
  const costs = records.flatMap((record) => numberOf(record, 'current_cost') ?? []);
  return (
    Math.max(...costs) - Math.min(...costs) > COSTS_APART &&
    (distinctTexts(records, 'region').length > 1 || distinctTexts(records, 'gpu_type').length > 1)
  );
}

/** A window with one bound, found by halving, with at least {@link LEAST} instances on one page. */
async function boundedSelection(api: ComputeContext['api'], bound: 'begin' | 'end') {
  let found: { readonly query: ListQuery; readonly records: readonly WireRecord[] } | undefined;
  await bisected(ever(), async (middle) => {
    const query = { [`date_range_${bound}`]: instant(middle) };
    const { ids, records } = await readWindow(api, query);
    if (ids.length >= LEAST && ids.length < FULL_PAGE) found = { query, records };
    if (found !== undefined) return 'enough';
    return ids.length >= LEAST === (bound === 'begin') ? 'later' : 'earlier';
  });
  return found;
}

/** Instances that are judged of a page that the list has outgrown: its first half, as in `settledOrder`. */
export const SETTLED = FULL_PAGE / 2;

/** A span whose middle tells apart the newest instances of the bounded part, which may outgrow a page meanwhile. */
export const conclusiveSpan = experiment(async (t) => {
  const part = wholeInstances(t, await boundedSubset(t), { mostPages: 1 });
  const { ids } = await requireItems(part, 2, 'instances');
  return findSpan(t.api, ids.slice(0, SETTLED));
});
