/** The order of instances. */

import type { RequestContext } from '../context.ts';
import { type Instance, type Preset, instanceStates, regionCodes } from '../model.ts';
import type {
  InstanceQuery,
  InstanceSortField,
  Placed,
  SortDirection,
  SortKey,
} from '../queries.ts';

/** What an instance is sorted by. */
export function instanceSortKey(
  instance: Instance,
  field: InstanceSortField,
  query: InstanceQuery,
  context: RequestContext,
): SortKey {
  const { preset } = instance;
  if (field === 'CURRENT_COST') return context.rules.currentRunCost(instance, query.asOf, context);
  const { sizeOrder, statusOrder } = context.choices;
  return {
    NAME: instance.name,
    GPU_TYPE: preset.gpu,
    SIZE: { text: preset.sku, 'gpu-count': preset.gpuCount, disk: preset.storageGb }[sizeOrder],
    REGION: regionSortKey(preset, context) ?? preset.location,
    HOURLY_RATE: preset.hourlyPrice,
    STATUS: statusOrder === 'text' ? instance.state : instanceStates.indexOf(instance.state),
  }[field];
}

/** What the region of a preset is sorted by; undefined when it has none. */
export function regionSortKey(
  { region }: Pick<Preset, 'region'>,
  context: RequestContext,
): SortKey | undefined {
  if (region === undefined || context.choices.regionOrder === 'text') return region;
  return regionCodes.findIndex((code) => code === region);
}

/** Descending unless told, once instances are sorted by a field. */
export function instanceDirection(query: InstanceQuery): SortDirection {
  return query.sortDirection ?? 'DESC';
}

const collators = {
  locale: new Intl.Collator('en'),
  'ignore-case': new Intl.Collator('en', { sensitivity: 'accent' }),
} as const;

/** Ascending order of two keys: numbers as numbers, text in the collation of this deployment. */
export function compareKeys(left: SortKey, right: SortKey, context: RequestContext): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [one, other] = [String(left), String(right)];
  const { collation } = context.choices;
  if (collation !== 'code-units') return collators[collation].compare(one, other);
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Which of two instances comes first in a list: negative for the left one. */
export function compareInstances(
  left: Placed,
  right: Placed,
  query: InstanceQuery,
  context: RequestContext,
): number {
  const newestFirst = right.place - left.place;
  if (left.key === undefined || right.key === undefined) {
    const reversed = context.choices.directionAlone === 'creation' && query.sortDirection === 'ASC';
    return reversed ? -newestFirst : newestFirst;
  }
  const ascending = context.rules.instanceDirection(query, context) === 'ASC';
  const byKey = context.rules.compareKeys(left.key, right.key, context);
  if (byKey !== 0) return ascending ? byKey : -byKey;
  const { ties } = context.choices;
  const oldestFirst = ties === 'oldest-first' || (ties === 'with-direction' && ascending);
  return oldestFirst ? -newestFirst : newestFirst;
}
