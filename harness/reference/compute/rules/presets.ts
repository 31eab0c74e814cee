/** Presets and regions, and the order of presets. The same for every caller. */

import type { RequestContext } from '../context.ts';
import {
  type Page,
  type Position,
  type Preset,
  type PresetQuery,
  type PresetSortField,
  regionCodes,
  type SortDirection,
  type SortKey,
} from '../model.ts';

/** All presets in the default order of this deployment. */
export function presetsInOrder(context: RequestContext): readonly Preset[] {
  const { presets } = context.world;
  const { order } = context.choices.presets;
  if (order === 'price') {
    return presets.toSorted((left, right) => left.hourlyPrice - right.hourlyPrice);
  }
  return order === 'id'
    ? presets.toSorted((left, right) => (left.id < right.id ? -1 : 1))
    : presets;
}

/** Whether a filter of a query lets a preset through. */
type Filter = (preset: Preset, query: PresetQuery, context: RequestContext) => boolean;

/** Matches a region code, or the exact name of a location without a region. */
export const presetMatchesRegion: Filter = (preset, { region }) =>
  region === undefined || (preset.region ?? preset.location) === region;

/** Matches the exact SKU name. */
export const presetMatchesSku: Filter = (preset, { sku }) =>
  sku === undefined || preset.sku === sku;

/** Searches the SKU name, the GPU model and the location. */
export const presetMatchesText: Filter = ({ sku, gpu, location }, { text }, context) =>
  text === undefined ||
  [sku, gpu, location].some((field) => context.rules.textMatches(field, text, context));

/** The sort key of a preset. Undefined for the region of a preset without one. */
export function presetSortKey(
  preset: Preset,
  field: PresetSortField,
  _query: PresetQuery,
  context: RequestContext,
): SortKey | undefined {
  return {
    REGION: context.rules.regionSortKey(preset, context),
    LOCATION: preset.location,
    GPU: context.choices.presets.gpuOrder === 'model' ? preset.gpu : preset.gpuCount,
    CPU: preset.cpu,
    MEMORY: preset.memoryGb,
    STORAGE: preset.storageGb,
    HOURLY_PRICE: preset.hourlyPrice,
    ID: preset.id,
  }[field];
}

/** The direction of a sorted list (default ASC). */
export function presetDirection(query: PresetQuery, _context: RequestContext): SortDirection {
  return query.sortDirection ?? 'ASC';
}

/** Sorts presets if a sort field is given. A direction alone changes nothing. */
export function sortPresets(
  presets: readonly Preset[],
  query: PresetQuery,
  context: RequestContext,
): readonly Preset[] {
  const { sortField } = query;
  if (sortField === undefined) return presets;
  const sign = context.rules.presetDirection(query, context) === 'ASC' ? 1 : -1;
  // The sort is stable: presets with equal keys keep the default order.
  return presets.toSorted(
    (left, right) =>
      sign *
      compareOptional(
        context.rules.presetSortKey(left, sortField, query, context),
        context.rules.presetSortKey(right, sortField, query, context),
        context,
      ),
  );
}

function compareOptional(
  left: SortKey | undefined,
  right: SortKey | undefined,
  context: RequestContext,
): number {
  if (left !== undefined && right !== undefined) {
    return context.rules.compareKeys(left, right, context);
  }
  if (left === right) return 0;
  const leftLacksFirst = context.choices.presets.noRegionSorts === 'first' ? -1 : 1;
  return left === undefined ? leftLacksFirst : -leftLacksFirst;
}

/** One page of presets, from the start or after a position. */
export function selectPresets(
  query: PresetQuery,
  after: Position | undefined,
  context: RequestContext,
): Page<Preset> {
  const { rules } = context;
  const matching = rules
    .presetsInOrder(context)
    .filter(
      (preset) =>
        rules.presetMatchesRegion(preset, query, context) &&
        rules.presetMatchesSku(preset, query, context) &&
        rules.presetMatchesText(preset, query, context),
    );
  const sorted = rules.sortPresets(matching, query, context);
  const from = after === undefined ? 0 : after.place + 1;
  const items = sorted.slice(from, from + query.size);
  const end = from + items.length;
  const isMore =
    end < sorted.length || (context.choices.emptyLastPage && items.length === query.size);
  return {
    items,
    end: isMore && items.length > 0 ? { key: undefined, place: end - 1 } : undefined,
  };
}

/** The JSON record of a preset. */
export function presetRecord(
  preset: Preset,
  context: RequestContext,
  _query: PresetQuery,
): Readonly<Record<string, unknown>> {
  const { fields, shape, noRegion } = context.choices.presets;
  const hardware = {
    [fields.gpu]: preset.gpu,
    [fields.gpuCount]: preset.gpuCount,
    [fields.cpu]: preset.cpu,
    [fields.memory]: preset.memoryGb,
    [fields.storage]: preset.storageGb,
  };
  const shown = { null: null, absent: undefined, empty: '', location: preset.location }[noRegion];
  const region = preset.region ?? shown;
  return {
    [fields.id]: preset.id,
    [fields.sku]: preset.sku,
    ...(region === undefined ? {} : { [fields.region]: region }),
    [fields.location]: preset.location,
    ...(shape === 'nested' ? { hardware } : hardware),
    [fields.price]: preset.hourlyPrice,
    ...context.choices.presetExtras,
  };
}

/** The body of GET /regions: the whole fixed set. */
export function regionsBody(context: RequestContext): unknown {
  const { member, item } = context.choices.regionsBody;
  const regions = regionCodes.map((code) => (item === undefined ? code : { [item]: code }));
  return member === undefined ? regions : { [member]: regions };
}
