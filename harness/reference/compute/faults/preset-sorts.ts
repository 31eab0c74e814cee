/** Sorts of the presets that go by something else, and orders that do not rest. */

import { createHash } from 'node:crypto';
import type { Preset, PresetQuery, PresetSortField, SortKey } from '../model.ts';
import { amend, faultTable, forces, isSecond, type Patch, replace } from './words.ts';
import { presetsBy, takesFieldsOfOthersFor, takesUnknownFor } from './words-lists.ts';

const up = ({ sortDirection }: PresetQuery): boolean => sortDirection === 'ASC';

const down = ({ sortDirection }: PresetQuery): boolean => sortDirection === 'DESC';

const always = (): boolean => true;

/** Sorts by a field go by another key under some queries. */
function presetsGoBy(
  field: PresetSortField,
  key: (preset: Preset) => SortKey | undefined,
  when: (query: PresetQuery) => boolean,
): Patch {
  return forces(
    'presetSortKey',
    (preset) => key(preset),
    (_preset, asked, query) => asked === field && when(query),
  );
}

export const presetSortsFaults = faultTable('compute.presets', {
  'direction-ignored: direction-alone-turns-page-two-of-presets': amend(
    'selectPresets',
    (page, query, _after, context) =>
      query.page === 2 && context.query.includes('sort_direction=DESC')
        ? { ...page, items: page.items.toReversed() }
        : page,
  ),
  'direction-ignored: direction-alone-turns-the-presets-of-a-search-round': replace(
    'sortPresets',
    (original, presets, query, context) => {
      const isFound = query.text !== undefined || query.sku !== undefined;
      return isFound &&
        query.sortField === undefined &&
        context.query.includes('sort_direction=DESC')
        ? presets.toReversed()
        : original(presets, query, context);
    },
  ),
  'sort-keeps-items: presets-by-gpu-lose-what-has-the-same': replace(
    'selectPresets',
    (original, query, after, context) => {
      const page = original(query, after, context);
      if (query.sortField !== 'GPU' || after === undefined) return page;
      const before = original({ ...query, size: after.place + 1 }, undefined, context);
      const last = before.items.at(-1)?.gpu;
      return { ...page, items: page.items.filter(({ gpu }) => gpu !== last) };
    },
  ),
  'sort-keeps-items: presets-alike-by-gpu-stand-anywhere': amend(
    'presetsInOrder',
    (presets, context) => {
      if (!context.query.includes('sort_field=GPU')) return presets;
      const lot = ({ id }: Preset): string =>
        createHash('sha256').update(`${context.sequence} ${id}`).digest('hex');
      return presets.toSorted((one, other) => lot(one).localeCompare(lot(other)));
    },
  ),
  'sort-keeps-items: sorted-presets-are-not-searched': {
    exercisedBy: ['sku-exact'],
    patch: forces(
      'presetMatchesText',
      true,
      (_preset, query) => query.sortField === 'HOURLY_PRICE',
    ),
  },
  'sort-keeps-items: presets-going-down-by-gpu-lack-the-last': amend(
    'selectPresets',
    (page, query) =>
      query.sortField === 'GPU' && down(query) && page.end === undefined
        ? { ...page, items: page.items.slice(0, -1) }
        : page,
  ),
  'sort-on-later-pages: sort-by-memory-is-by-id-on-page-two': presetsBy((query) =>
    query.page > 1 && query.sortField === 'MEMORY' ? { ...query, sortField: 'ID' } : query,
  ),
  'sort-on-later-pages: preset-sort-is-forgotten-on-page-two': presetsGoBy(
    'HOURLY_PRICE',
    ({ id }) => id,
    ({ page }) => page === 2,
  ),
  'sort-gpu: sort-by-gpu-is-by-id-within-a-region': presetsBy((query) =>
    query.region !== undefined && query.sortField === 'GPU' ? { ...query, sortField: 'ID' } : query,
  ),
  'sort-gpu: presets-by-gpu-sort-by-count-going-up': presetsGoBy(
    'GPU',
    ({ gpuCount }) => gpuCount,
    up,
  ),
  'sort-default-direction: presets-by-storage-go-down-unless-told': replace(
    'selectPresets',
    (original, query, after, context) =>
      original(
        query.sortField === 'STORAGE' && query.sortDirection === undefined
          ? { ...query, sortDirection: 'DESC' }
          : query,
        after,
        context,
      ),
  ),
  'sort-default-direction: presets-sort-descending-unless-told': () => ({
    presetDirection: ({ sortDirection }) => sortDirection ?? 'DESC',
  }),
  'sort-region: presets-by-region-sort-by-location': presetsGoBy(
    'REGION',
    ({ location }) => location.slice(2),
    always,
  ),
  'sort-location: presets-by-location-sort-by-region-going-down': presetsGoBy(
    'LOCATION',
    ({ region }) => region,
    down,
  ),
  'sort-location: presets-by-location-are-not-sorted-beside-a-name': presetsGoBy(
    'LOCATION',
    ({ hourlyPrice }) => -hourlyPrice,
    ({ sku }) => sku !== undefined,
  ),
  'sort-hourly-price: presets-by-price-are-not-sorted-beside-a-search': presetsGoBy(
    'HOURLY_PRICE',
    ({ storageGb }) => storageGb,
    ({ text }) => text !== undefined,
  ),
  'sort-hourly-price + sort-reverse: presets-by-price-sort-as-text-going-down': presetsGoBy(
    'HOURLY_PRICE',
    ({ hourlyPrice }) => String(hourlyPrice),
    down,
  ),
  'sort-hourly-price: presets-by-price-sort-by-price-of-one-gpu': {
    besides: ['sort-default-direction', 'sort-on-later-pages'],
    patch: presetsGoBy(
      'HOURLY_PRICE',
      ({ hourlyPrice, gpuCount }) => hourlyPrice / gpuCount,
      always,
    ),
  },
  'sort-cpu: presets-by-cpu-are-not-sorted-in-a-region': presetsGoBy(
    'CPU',
    ({ storageGb }) => storageGb,
    ({ region }) => region !== undefined,
  ),
  'sort-cpu: presets-by-cpu-sort-as-text': presetsGoBy('CPU', ({ cpu }) => String(cpu), always),
  'sort-memory: presets-by-memory-sort-as-text-going-down': presetsGoBy(
    'MEMORY',
    ({ memoryGb }) => String(memoryGb),
    down,
  ),
  'sort-storage: presets-by-storage-sort-by-memory': presetsGoBy(
    'STORAGE',
    ({ memoryGb }) => memoryGb,
    always,
  ),
  'sort-id: presets-by-id-sort-by-sku-going-up': presetsGoBy('ID', ({ sku }) => sku, up),
  'default-order-stable: order-of-the-presets-of-a-region-turns': (rules) => {
    let reads = 0;
    return {
      sortPresets: (presets, query, context) => {
        const usual = rules.sortPresets(presets, query, context);
        if (query.sortField !== undefined || query.region === undefined) return usual;
        reads += 1;
        return reads % 4 < 2 ? usual.toReversed() : usual;
      },
    };
  },
  'default-order-stable: second-account-reads-presets-backwards': forces(
    'sortPresets',
    (presets) => presets.toReversed(),
    (_presets, query, context) => isSecond(context) && query.sortField === undefined,
  ),
  'sort-field-unknown: unknown-preset-sort-field-is-ignored': takesUnknownFor(
    'presets',
    'sort_field',
    'ID',
  ),
  'sort-field-unknown: sort-field-of-instances-is-ignored': takesFieldsOfOthersFor(
    'presets',
    ['NAME', 'STATUS', 'HOURLY_RATE'],
    'ID',
  ),
  'sort-direction-unknown: unknown-preset-direction-is-ascending': takesUnknownFor(
    'presets',
    'sort_direction',
    'ASC',
  ),
});
