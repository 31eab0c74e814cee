/** The sorts of the two collections: the order by each field, and the queries to combine with it. */

import { freeTextLength, instanceSortFields } from '../../../schemas/compute/list-instances.ts';
import { presetSortFields } from '../../../schemas/compute/presets.ts';
import { isRegionCode } from '../../../schemas/compute/regions.ts';
import { isSameSequence, steadyItems } from '../../../harness/checks/collection/bracket.ts';
import {
  bothDirections,
  type InstanceSort,
  presetsInOrder,
  type PresetSort,
} from '../../../harness/checks/collection/sorts.ts';
import {
  hasMoved,
  isMovingSort,
  keepsOverPages,
  movingOverPages,
} from '../../../harness/checks/collection/sorts-over-pages.ts';
import { presetValue } from '../../../harness/checks/compute/presets.ts';
import type { WireRecord } from '../../../harness/checks/compute/records.ts';
import { sameItems } from '../../../harness/checks/collection/walk.ts';
import { notObserved } from '../../../harness/checks/judgement.ts';
import { besideSort } from './combinations.ts';
import type {
  Context,
  Directions,
  Sorting,
} from '../../../harness/drivers/collection/collection.ts';
import type { Listing, ListQuery } from '../../../harness/drivers/collection/reading.ts';

/** The most frequent text; undefined if all differ. */
function mostFrequent(texts: readonly unknown[]): string | undefined {
  const count = (text: unknown) => texts.filter((one) => one === text).length;
  const [most] = [...new Set(texts)]
    .filter((text) => typeof text === 'string' && text !== '')
    .toSorted((one, other) => count(other) - count(one));
  return typeof most === 'string' && count(most) > 1 ? most : undefined;
}

const isInstanceSort = (field: string): field is InstanceSort => field in instanceSortFields;
const isPresetSort = (field: string): field is PresetSort => field in presetSortFields;

export const instanceSorting: Sorting = {
  fields: [
    { field: 'NAME', id: 'compute.list-instances.sort-name', pages: 4 },
    { field: 'GPU_TYPE', id: 'compute.list-instances.sort-gpu-type', pages: 2 },
    { field: 'REGION', id: 'compute.list-instances.sort-region', pages: 2 },
    { field: 'HOURLY_RATE', id: 'compute.list-instances.sort-hourly-rate', pages: 2 },
    { field: 'CURRENT_COST', id: 'compute.list-instances.sort-current-cost', pages: 2 },
    { field: 'SIZE', id: 'compute.list-instances.sort-size', pages: 2 },
    { field: 'STATUS', id: 'compute.list-instances.sort-status', pages: 2 },
  ],
  // For a large account, only the page of its newest instances.
  page: { mostPages: 1 },
  reversed: ['NAME', 'name'],
  beside: async (t, _, field) => besideSort(t, field),
  inOrder: (_, field, lists) =>
    isInstanceSort(field) ? bothDirections(field, lists) : notObserved,
  inOrderOverPages: (_, field, { up, down }, { before, after }) => {
    if (!isInstanceSort(field)) return notObserved;
    const steady = { up: steadyItems(up, before, after), down: steadyItems(down, before, after) };
    return isMovingSort(field)
      ? movingOverPages(field, steady, [before, after])
      : bothDirections(field, steady);
  },
  keepsOverPages: (_, field, around, list) =>
    isInstanceSort(field) ? keepsOverPages(field, around, list) : notObserved,
};

/** Filters that each select several presets: a region, a search for a GPU model, and a SKU name. */
export function besidePresets(
  { bindings }: Pick<Context, 'bindings'>,
  presets: readonly WireRecord[],
): readonly ListQuery[] {
  const { sku, freeText } = bindings.presets?.filters ?? {};
  const shared = (field: 'region' | 'gpu' | 'sku') =>
    mostFrequent(presets.map((preset) => presetValue(preset, field, bindings)));
  const regions = presets.map((preset) => presetValue(preset, 'region', bindings));
  const region = mostFrequent(regions.filter(isRegionCode));
  const filters = [
    ['region', region],
    [freeText, shared('gpu')?.slice(0, freeTextLength)],
    [sku, shared('sku')],
  ] as const;
  return filters.flatMap(([name, value]) =>
    name === undefined || value === undefined ? [] : [{ [name]: value }],
  );
}

function presetOrder(t: Context, field: string, { up, down }: Directions) {
  if (!isPresetSort(field)) return notObserved;
  return presetsInOrder(
    field,
    [
      ['ASC', up],
      ['DESC', down],
    ],
    t.bindings,
  );
}

function presetsMoved({ bindings }: Context, field: string, lists: readonly Listing[]): boolean {
  return (
    isPresetSort(field) &&
    hasMoved(lists, (preset) => presetValue(preset, presetSortFields[field], bindings))
  );
}

export const presetSorting: Sorting = {
  fields: [
    { field: 'REGION', id: 'compute.presets.sort-region', pages: 5 },
    { field: 'LOCATION', id: 'compute.presets.sort-location', pages: 5 },
    { field: 'GPU', id: 'compute.presets.sort-gpu', pages: 5 },
    { field: 'CPU', id: 'compute.presets.sort-cpu', pages: 3 },
    { field: 'MEMORY', id: 'compute.presets.sort-memory', pages: 3 },
    { field: 'STORAGE', id: 'compute.presets.sort-storage', pages: 3 },
    { field: 'HOURLY_PRICE', id: 'compute.presets.sort-hourly-price', pages: 3 },
    { field: 'ID', id: 'compute.presets.sort-id', pages: 3 },
  ],
  page: {},
  reversed: ['HOURLY_PRICE', 'price'],
  isShown: ({ bindings }, field) =>
    isPresetSort(field) && bindings.presets?.fields?.[presetSortFields[field]] !== undefined,
  beside: async (t, presets) => besidePresets(t, presets),
  inOrder: presetOrder,
  // If prices change between two pages, the order over both is inconclusive.
  inOrderOverPages: (t, field, lists, { before, after }) => {
    const rests = isSameSequence(before.ids, after.ids);
    const moved = presetsMoved(t, field, [before, after, lists.up, lists.down]);
    return rests && !moved ? presetOrder(t, field, lists) : notObserved;
  },
  keepsOverPages: (t, field, { before, after }, list) => {
    if (presetsMoved(t, field, [before, after, list])) return notObserved;
    const isKnown = [before, after].every(({ end }) => end === 'last-page');
    const most = Math.max(before.ids.length, after.ids.length);
    return isKnown && (list.end === 'last-page' || list.ids.length > most)
      ? sameItems({ before: before.ids, after: after.ids }, list)
      : notObserved;
  },
};
