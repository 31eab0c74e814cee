/** Sorts of the presets that go by something else, and orders that do not rest. */

import { createHash } from 'node:crypto';
import type { Preset, PresetQuery, PresetSortField, SortKey } from '../model.ts';
import { takesFieldsOfOthersFor, takesUnknownFor } from './misreading.ts';
import { amend, replace, unless, faultTable, type Patch } from './answering.ts';

const up = ({ sortDirection }: PresetQuery): boolean => sortDirection === 'ASC';
const down = ({ sortDirection }: PresetQuery): boolean => sortDirection === 'DESC';
const always = (): boolean => true;

/** Sorts by a field go by another key under some queries. */
function goesBy(
  field: PresetSortField,
  key: (preset: Preset) => SortKey | undefined,
  when: (query: PresetQuery) => boolean,
): Patch {
  return unless(
    'presetSortKey',
    (_preset, asked, query) => asked === field && when(query),
    (preset) => key(preset),
  );
}

export const presetSortFaults = faultTable({
  'compute.presets.sort-keeps-items': {
    'presets-alike-by-gpu-stand-anywhere': amend('presetsInOrder', (presets, context) => {
      if (!context.query.includes('sort_field=GPU')) return presets;
      const lot = ({ id }: Preset): string =>
        createHash('sha256').update(`${context.sequence} ${id}`).digest('hex');
      return presets.toSorted((one, other) => lot(one).localeCompare(lot(other)));
    }),
    'sorted-presets-are-not-searched': {
      exercisedBy: ['compute.presets.sku-exact'],
      patch: unless(
        'presetMatchesText',
        (_preset, query) => query.sortField === 'HOURLY_PRICE',
        true,
      ),
    },
    'presets-going-down-by-gpu-lack-the-last': amend('selectPresets', (page, query) =>
      query.sortField === 'GPU' && down(query) && page.end === undefined
        ? { ...page, items: page.items.slice(0, -1) }
        : page,
    ),
    'preset-sort-by-memory-drops-labs': unless(
      'presetMatchesRegion',
      (preset, query) => query.sortField === 'MEMORY' && preset.region === undefined,
      false,
    ),
    'preset-sort-by-region-shows-one-twice': amend('sortPresets', (list, _presets, query) =>
      query.sortField === 'REGION' && up(query) ? [...list.slice(0, 1), ...list] : list,
    ),
  },
  'compute.presets.sort-default-direction': {
    'presets-by-storage-go-down-unless-told': replace(
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
    'presets-sort-descending-unless-told': () => ({
      presetDirection: ({ sortDirection }) => sortDirection ?? 'DESC',
    }),
  },
  'compute.presets.sort-region': {
    'presets-by-region-sort-by-location': goesBy(
      'REGION',
      ({ location }) => location.slice(2),
      always,
    ),
  },
  'compute.presets.sort-location': {
    'presets-by-location-sort-by-region-going-down': goesBy(
      'LOCATION',
      ({ region }) => region,
      down,
    ),
    'presets-by-location-are-not-sorted-beside-a-name': goesBy(
      'LOCATION',
      ({ hourlyPrice }) => -hourlyPrice,
      ({ sku }) => sku !== undefined,
    ),
  },
  'compute.presets.sort-hourly-price': {
    'presets-by-price-are-not-sorted-beside-a-search': goesBy(
      'HOURLY_PRICE',
      ({ storageGb }) => storageGb,
      ({ text }) => text !== undefined,
    ),
    'presets-by-price-sort-as-text-going-down': {
      besides: ['compute.presets.sort-reverse'],
      patch: goesBy('HOURLY_PRICE', ({ hourlyPrice }) => String(hourlyPrice), down),
    },
    'presets-by-price-sort-by-price-of-one-gpu': {
      besides: ['compute.presets.sort-default-direction', 'compute.presets.sort-on-later-pages'],
      patch: goesBy('HOURLY_PRICE', ({ hourlyPrice, gpuCount }) => hourlyPrice / gpuCount, always),
    },
  },
  'compute.presets.sort-cpu': {
    'presets-by-cpu-are-not-sorted-in-a-region': goesBy(
      'CPU',
      ({ storageGb }) => storageGb,
      ({ region }) => region !== undefined,
    ),
    'presets-by-cpu-sort-as-text': goesBy('CPU', ({ cpu }) => String(cpu), always),
  },
  'compute.presets.sort-gpu': {
    'presets-by-gpu-sort-by-count-going-up': goesBy('GPU', ({ gpuCount }) => gpuCount, up),
  },
  'compute.presets.sort-memory': {
    'presets-by-memory-sort-as-text-going-down': goesBy(
      'MEMORY',
      ({ memoryGb }) => String(memoryGb),
      down,
    ),
  },
  'compute.presets.sort-storage': {
    'presets-by-storage-sort-by-memory': goesBy('STORAGE', ({ memoryGb }) => memoryGb, always),
  },
  'compute.presets.sort-id': {
    'presets-by-id-sort-by-sku-going-up': goesBy('ID', ({ sku }) => sku, up),
  },
  'compute.presets.sort-on-later-pages': {
    'preset-sort-is-forgotten-on-page-two': goesBy(
      'HOURLY_PRICE',
      ({ id }) => id,
      ({ page }) => page === 2,
    ),
  },
  'compute.presets.direction-ignored': {
    'direction-alone-turns-the-presets-of-a-search-round': replace(
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
    'direction-alone-turns-the-presets-of-a-region-round': unless(
      'sortPresets',
      (_presets, query, context) =>
        query.sortField === undefined && /region=.*direction=DESC/u.test(context.query),
      (presets) => presets.toReversed(),
    ),
  },
  'compute.presets.default-order-stable': {
    'order-of-the-presets-of-a-region-turns': (rules) => {
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
  },
  'compute.presets.sort-field-unknown': {
    'unknown-preset-sort-field-is-ignored': takesUnknownFor('presets', 'sort_field', 'ID'),
    'sort-field-of-instances-is-ignored': takesFieldsOfOthersFor(
      'presets',
      ['NAME', 'STATUS', 'HOURLY_RATE'],
      'ID',
    ),
  },
  'compute.presets.sort-direction-unknown': {
    'unknown-preset-direction-is-ascending': takesUnknownFor('presets', 'sort_direction', 'ASC'),
  },
});
