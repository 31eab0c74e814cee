/** Sorts of the presets that go by something else, and orders that do not rest. */

import { createHash } from 'node:crypto';
import { type Fault, declareFaults } from '../../fault.ts';
import type { Preset } from '../model.ts';
import type { ComputeRules } from '../context.ts';
import type { PresetQuery, PresetSortField, SortKey } from '../queries.ts';
import { takesFieldsOfOthersFor, takesUnknownFor } from './misreading.ts';

const sorted = (slug: string): string => `compute.presets.sort-${slug}`;
const up = ({ sortDirection }: PresetQuery): boolean => sortDirection === 'ASC';
const down = ({ sortDirection }: PresetQuery): boolean => sortDirection === 'DESC';
const always = (): boolean => true;

/** Sorts by a field go by another key under some queries. */
function goesBy(
  name: string,
  summary: string,
  field: PresetSortField,
  key: (preset: Preset) => SortKey | undefined,
  when: (query: PresetQuery) => boolean,
  breaks: readonly string[],
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks,
    patch: (rules) => ({
      ...rules,
      presetSortKey: (preset, asked, query, context) =>
        asked === field && when(query)
          ? key(preset)
          : rules.presetSortKey(preset, asked, query, context),
    }),
  };
}

export const presetSortFaults = declareFaults<ComputeRules>([
  {
    name: 'presets-alike-by-gpu-stand-anywhere',
    summary: 'Presets with the same GPU stand in another order on each page of a sort by GPU.',
    breaks: ['compute.presets.sort-keeps-items'],
    patch: (rules) => ({
      ...rules,
      presetsInOrder: (context) => {
        const presets = rules.presetsInOrder(context);
        if (!context.query.includes('sort_field=GPU')) return presets;
        const lot = ({ id }: Preset): string =>
          createHash('sha256').update(`${context.sequence} ${id}`).digest('hex');
        return presets.toSorted((one, other) => lot(one).localeCompare(lot(other)));
      },
    }),
  },
  {
    name: 'presets-by-storage-go-down-unless-told',
    summary: 'A sort of presets by storage is descending without a direction.',
    breaks: [sorted('default-direction')],
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) =>
        rules.selectPresets(
          query.sortField === 'STORAGE' && query.sortDirection === undefined
            ? { ...query, sortDirection: 'DESC' }
            : query,
          after,
          context,
        ),
    }),
  },
  {
    name: 'sorted-presets-are-not-searched',
    summary: 'A search does not count in a sort of presets by price.',
    breaks: [sorted('keeps-items')],
    exercisedBy: ['compute.presets.sku-exact'],
    patch: (rules) => ({
      ...rules,
      presetMatchesText: (preset, query, context) =>
        query.sortField === 'HOURLY_PRICE' || rules.presetMatchesText(preset, query, context),
    }),
  },
  {
    name: 'presets-going-down-by-gpu-lack-the-last',
    summary: 'The last page of a descending sort of presets by GPU lacks its last preset.',
    breaks: [sorted('keeps-items')],
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) => {
        const page = rules.selectPresets(query, after, context);
        return query.sortField === 'GPU' && down(query) && page.end === undefined
          ? { ...page, items: page.items.slice(0, -1) }
          : page;
      },
    }),
  },
  goesBy(
    'presets-by-region-sort-by-location',
    'A sort of presets by region goes by the end of the location.',
    'REGION',
    ({ location }) => location.slice(2),
    always,
    [sorted('region')],
  ),
  goesBy(
    'presets-by-location-sort-by-region-going-down',
    'A descending sort of presets by location goes by region.',
    'LOCATION',
    ({ region }) => region,
    down,
    [sorted('location')],
  ),
  goesBy(
    'presets-by-price-are-not-sorted-beside-a-search',
    'Beside a search, a sort of presets by price goes by the storage.',
    'HOURLY_PRICE',
    ({ storageGb }) => storageGb,
    ({ text }) => text !== undefined,
    [sorted('hourly-price')],
  ),
  goesBy(
    'presets-by-location-are-not-sorted-beside-a-name',
    'Beside a SKU name, a sort of presets by location puts the dearest first.',
    'LOCATION',
    ({ hourlyPrice }) => -hourlyPrice,
    ({ sku }) => sku !== undefined,
    [sorted('location')],
  ),
  goesBy(
    'presets-by-cpu-are-not-sorted-in-a-region',
    'Beside a region, a sort of presets by CPU goes by the storage.',
    'CPU',
    ({ storageGb }) => storageGb,
    ({ region }) => region !== undefined,
    [sorted('cpu')],
  ),
  goesBy(
    'presets-by-gpu-sort-by-count-going-up',
    'An ascending sort of presets by GPU goes by the number of GPUs.',
    'GPU',
    ({ gpuCount }) => gpuCount,
    up,
    [sorted('gpu')],
  ),
  goesBy(
    'presets-by-cpu-sort-as-text',
    'A sort of presets by CPU goes by the digits as text.',
    'CPU',
    ({ cpu }) => String(cpu),
    always,
    [sorted('cpu')],
  ),
  goesBy(
    'presets-by-memory-sort-as-text-going-down',
    'A descending sort of presets by memory goes by the digits as text.',
    'MEMORY',
    ({ memoryGb }) => String(memoryGb),
    down,
    [sorted('memory')],
  ),
  goesBy(
    'presets-by-storage-sort-by-memory',
    'A sort of presets by storage goes by memory.',
    'STORAGE',
    ({ memoryGb }) => memoryGb,
    always,
    [sorted('storage')],
  ),
  goesBy(
    'presets-by-price-sort-as-text-going-down',
    'A descending sort of presets by price goes by the digits as text.',
    'HOURLY_PRICE',
    ({ hourlyPrice }) => String(hourlyPrice),
    down,
    [sorted('hourly-price'), sorted('reverse')],
  ),
  goesBy(
    'presets-by-price-sort-by-price-of-one-gpu',
    'A sort of presets by price goes by the price of one GPU.',
    'HOURLY_PRICE',
    ({ hourlyPrice, gpuCount }) => hourlyPrice / gpuCount,
    always,
    [sorted('hourly-price'), sorted('default-direction'), sorted('on-later-pages')],
  ),
  goesBy(
    'presets-by-id-sort-by-sku-going-up',
    'An ascending sort of presets by id goes by the SKU name.',
    'ID',
    ({ sku }) => sku,
    up,
    [sorted('id')],
  ),
  goesBy(
    'preset-sort-is-forgotten-on-page-two',
    'A sort of presets by price does not hold on the second page.',
    'HOURLY_PRICE',
    ({ id }) => id,
    ({ page }) => page === 2,
    [sorted('on-later-pages')],
  ),
  {
    name: 'presets-sort-descending-unless-told',
    summary: 'Presets sorted without a direction come in descending order.',
    breaks: [sorted('default-direction')],
    patch: (rules) => ({
      ...rules,
      presetDirection: ({ sortDirection }) => sortDirection ?? 'DESC',
    }),
  },
  {
    name: 'preset-sort-by-memory-drops-labs',
    summary: 'A sort of presets by memory leaves out what has no region.',
    breaks: [sorted('keeps-items')],
    patch: (rules) => ({
      ...rules,
      presetMatchesRegion: (preset, query, context) =>
        rules.presetMatchesRegion(preset, query, context) &&
        (query.sortField !== 'MEMORY' || preset.region !== undefined),
    }),
  },
  {
    name: 'preset-sort-by-region-shows-one-twice',
    summary: 'An ascending sort of presets by region shows its first preset twice.',
    breaks: [sorted('keeps-items')],
    patch: (rules) => ({
      ...rules,
      sortPresets: (presets, query, context) => {
        const list = rules.sortPresets(presets, query, context);
        return query.sortField === 'REGION' && up(query) ? [...list.slice(0, 1), ...list] : list;
      },
    }),
  },
  {
    name: 'direction-alone-turns-the-presets-round',
    summary: 'A descending direction without a sort field turns the order of the presets round.',
    breaks: ['compute.presets.direction-ignored'],
    patch: (rules) => ({
      ...rules,
      sortPresets: (presets, query, context) =>
        query.sortField === undefined && context.query.includes('sort_direction=DESC')
          ? presets.toReversed()
          : rules.sortPresets(presets, query, context),
    }),
  },
  {
    name: 'direction-alone-sorts-by-price',
    summary: 'An ascending direction without a sort field sorts the presets by price.',
    breaks: ['compute.presets.direction-ignored'],
    patch: (rules) => ({
      ...rules,
      sortPresets: (presets, query, context) =>
        query.sortField === undefined && context.query.includes('sort_direction=ASC')
          ? presets.toSorted((one, other) => one.hourlyPrice - other.hourlyPrice)
          : rules.sortPresets(presets, query, context),
    }),
  },
  {
    name: 'direction-alone-turns-the-presets-of-a-search-round',
    summary:
      'Beside a search or a SKU, a descending direction without a sort field turns the order round.',
    breaks: ['compute.presets.direction-ignored'],
    patch: (rules) => ({
      ...rules,
      sortPresets: (presets, query, context) => {
        const isFound = query.text !== undefined || query.sku !== undefined;
        return isFound &&
          query.sortField === undefined &&
          context.query.includes('sort_direction=DESC')
          ? presets.toReversed()
          : rules.sortPresets(presets, query, context);
      },
    }),
  },
  {
    name: 'direction-alone-turns-the-presets-of-a-region-round',
    summary: 'Beside a region, a descending direction without a sort field turns the order round.',
    breaks: ['compute.presets.direction-ignored'],
    patch: (rules) => ({
      ...rules,
      sortPresets: (presets, query, context) =>
        query.sortField === undefined && /region=.*direction=DESC/u.test(context.query)
          ? presets.toReversed()
          : rules.sortPresets(presets, query, context),
    }),
  },
  {
    name: 'order-of-the-presets-of-a-region-turns',
    summary: 'Every other read of the presets of a region comes in another order.',
    breaks: ['compute.presets.default-order-stable'],
    patch: (rules) => {
      let reads = 0;
      return {
        ...rules,
        sortPresets: (presets, query, context) => {
          const usual = rules.sortPresets(presets, query, context);
          if (query.sortField !== undefined || query.region === undefined) return usual;
          reads += 1;
          return reads % 4 < 2 ? usual.toReversed() : usual;
        },
      };
    },
  },
  {
    name: 'unknown-preset-sort-field-is-ignored',
    summary: 'A sort field that presets do not have sorts them by id.',
    breaks: [sorted('field-unknown')],
    patch: takesUnknownFor('presets', 'sort_field', 'ID'),
  },
  {
    name: 'sort-field-of-instances-is-ignored',
    summary: 'A field by which only instances can be sorted sorts presets by id.',
    breaks: [sorted('field-unknown')],
    patch: takesFieldsOfOthersFor('presets', ['NAME', 'STATUS', 'HOURLY_RATE'], 'ID'),
  },
  {
    name: 'unknown-preset-direction-is-ascending',
    summary: 'A direction of presets that is none is read as ASC.',
    breaks: [sorted('direction-unknown')],
    patch: takesUnknownFor('presets', 'sort_direction', 'ASC'),
  },
  {
    name: 'default-order-of-presets-turns',
    summary: 'Every other read of the presets without a size comes in another order.',
    breaks: ['compute.presets.default-order-stable'],
    patch: (rules) => {
      let reads = 0;
      return {
        ...rules,
        presetsInOrder: (context) => {
          const presets = rules.presetsInOrder(context);
          if (context.query !== '' || context.operation !== 'presets') return presets;
          reads += 1;
          return reads % 2 === 0 ? presets.toReversed() : presets;
        },
      };
    },
  },
  {
    name: 'default-order-of-presets-is-drawn',
    summary: 'Presets without a sort field start somewhere else with each read of the first page.',
    breaks: ['compute.presets.default-order-stable'],
    patch: (rules) => {
      let reads = 0;
      return {
        ...rules,
        sortPresets: (presets, query, context) => {
          if (query.sortField !== undefined || query.page > 1) {
            return rules.sortPresets(presets, query, context);
          }
          reads += 1;
          const from = reads % Math.max(1, presets.length);
          return [...presets.slice(from), ...presets.slice(0, from)];
        },
      };
    },
  },
]);
