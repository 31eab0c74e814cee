/** Cutting lists into pages. */

import type { RequestContext } from '../context.ts';
import type { Instance } from '../model.ts';
import type { InstanceQuery, Page, Placed, Position } from '../queries.ts';

/** Items of a page when none are asked for: 50. */
export function instancePageSize(): number {
  return 50;
}

/** The instances of one page, after a position or from the start. */
export function selectInstances(
  query: InstanceQuery,
  after: Position | undefined,
  context: RequestContext,
): Page<Instance> {
  const wanted = query.size + (context.choices.emptyLastPage ? 0 : 1);
  const inCreationOrder =
    query.sortField === undefined && context.choices.directionAlone === 'ignored';
  const found = inCreationOrder
    ? newestFirst(query, after, wanted, context)
    : smallest(query, after, wanted, context);
  const items = found.slice(0, query.size);
  const last = items.at(-1);
  const isMore = found.length > query.size || (context.choices.emptyLastPage && isFull(items));
  return {
    items: items.map(({ instance }) => instance),
    end: last !== undefined && isMore ? { key: last.key, place: last.place } : undefined,
  };

  function isFull(page: readonly Placed[]): boolean {
    return page.length === query.size;
  }
}

/** Reads backwards from the position: instances are kept in the order of creation, so nothing is sorted. */
function newestFirst(
  query: InstanceQuery,
  after: Position | undefined,
  wanted: number,
  context: RequestContext,
): readonly Placed[] {
  const instances = context.rules.instancesInReach(context);
  const found: Placed[] = [];
  for (let place = Math.min(after?.place ?? Infinity, instances.length) - 1; place >= 0; place--) {
    const instance = instances[place];
    if (instance === undefined || !context.rules.matchesQuery(instance, query, context)) continue;
    found.push({ instance, key: undefined, place });
    if (found.length === wanted) break;
  }
  return found;
}

/** Keeps the first few of a sorted list while reading all of it once: a page does not pay for a whole sort. */
function smallest(
  query: InstanceQuery,
  after: Position | undefined,
  wanted: number,
  context: RequestContext,
): readonly Placed[] {
  const { rules } = context;
  const found: Placed[] = [];
  for (const [place, instance] of rules.instancesInReach(context).entries()) {
    if (!rules.matchesQuery(instance, query, context)) continue;
    const key =
      query.sortField === undefined
        ? undefined
        : rules.instanceSortKey(instance, query.sortField, query, context);
    const placed = { instance, key, place };
    const isPast =
      after === undefined ||
      rules.compareInstances(placed, { instance, ...after }, query, context) > 0;
    if (!isPast) continue;
    const last = found.length === wanted ? found.at(-1) : undefined;
    if (last !== undefined && rules.compareInstances(placed, last, query, context) > 0) continue;
    found.splice(slotOf(placed, found, query, context), 0, placed);
    if (found.length > wanted) found.pop();
  }
  return found;
}

function slotOf(
  placed: Placed,
  sorted: readonly Placed[],
  query: InstanceQuery,
  context: RequestContext,
): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = sorted[middle];
    if (other !== undefined && context.rules.compareInstances(other, placed, query, context) < 0) {
      low = middle + 1;
    } else high = middle;
  }
  return low;
}

/** The pagination object of a page. */
export function paginationObject(
  next: string | null,
  size: number,
  items: number,
  context: RequestContext,
): unknown {
  const short = next === null && items < size && context.choices.shortPageSize === 'items';
  return { next, size: short ? items : size, ...context.choices.paginationExtras };
}
