/** Which instances a list returns, and in which order. */

import { callerOf, type RequestContext } from '../context.ts';
import {
  type Instance,
  type InstanceQuery,
  type InstanceSortField,
  instanceStates,
  type Placed,
  type Preset,
  regionCodes,
  type SortDirection,
  type SortKey,
} from '../model.ts';

/** The instances that a caller may list, oldest first: only its own. */
export function instancesInReach(context: RequestContext): readonly Instance[] {
  return callerOf(context).instances;
}

/** Whether a caller may see an instance. */
export function visibleTo(instance: Instance, context: RequestContext): boolean {
  return instance.account === callerOf(context).name;
}

/** Whether a filter of a query lets an instance through. */
type Filter = (instance: Instance, query: InstanceQuery, context: RequestContext) => boolean;

export const matchesStatus: Filter = ({ state }, { status }) =>
  status === undefined || state === status;

/** Compares region codes. A location never matches. */
export const matchesRegion: Filter = ({ preset }, { region }) =>
  region === undefined || preset.region === region;

export const matchesGpuType: Filter = ({ preset }, { gpuType }) =>
  gpuType === undefined || preset.gpu === gpuType;

/** Created at or after the begin date. */
export const matchesDateBegin: Filter = ({ createdAt }, { begin }) =>
  begin === undefined || createdAt >= begin;

/** Created at or before the end date. */
export const matchesDateEnd: Filter = ({ createdAt }, { end }) =>
  end === undefined || createdAt <= end;

/** Searches the name, the region and the GPU model. */
export const searchMatches: Filter = ({ name, preset }, { text }, context) =>
  text === undefined ||
  [name, preset.region ?? '', preset.gpu].some((field) =>
    context.rules.textMatches(field, text, context),
  );

/** Whether a field contains a search text. */
export function textMatches(field: string, text: string, context: RequestContext): boolean {
  const { search } = context.choices;
  if (search === 'exact-case') return field.includes(text);
  if (search === 'substring') return field.toLowerCase().includes(text.toLowerCase());
  const words = new Set(wordsOf(field));
  const wanted = wordsOf(text);
  return wanted.length === 0 ? field.includes(text) : wanted.every((word) => words.has(word));
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
}

const filters = [
  'matchesStatus',
  'matchesRegion',
  'matchesGpuType',
  'matchesDateBegin',
  'matchesDateEnd',
  'searchMatches',
] as const;

/** All filters together. */
export const matchesQuery: Filter = (instance, query, context) => {
  const { rules, choices } = context;
  const isListed =
    instance.state !== 'TERMINATED' ||
    choices.terminatedListed === 'always' ||
    query.status === 'TERMINATED';
  return isListed && filters.every((filter) => rules[filter](instance, query, context));
};

/** The sort key of an instance. */
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
    REGION: context.rules.regionSortKey(preset, context) ?? preset.location,
    HOURLY_RATE: preset.hourlyPrice,
    STATUS: statusOrder === 'text' ? instance.state : instanceStates.indexOf(instance.state),
  }[field];
}

/** The sort key of a preset's region, or undefined for a preset without one. */
export function regionSortKey(
  { region }: Pick<Preset, 'region'>,
  context: RequestContext,
): SortKey | undefined {
  if (region === undefined || context.choices.regionOrder === 'text') return region;
  return regionCodes.findIndex((code) => code === region);
}

/** The direction of a sorted list (default DESC). */
export function instanceDirection(query: InstanceQuery, _context: RequestContext): SortDirection {
  return query.sortDirection ?? 'DESC';
}

const collators = {
  locale: new Intl.Collator('en'),
  'ignore-case': new Intl.Collator('en', { sensitivity: 'accent' }),
} as const;

/** Ascending order of two keys: numbers by value, text by the collation of this deployment. */
export function compareKeys(left: SortKey, right: SortKey, context: RequestContext): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [one, other] = [String(left), String(right)];
  const { collation } = context.choices;
  if (collation !== 'code-units') return collators[collation].compare(one, other);
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The order of two instances in a list: negative if the left one comes first. */
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
