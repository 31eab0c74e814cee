/** Filters and sorts that hold on the first page alone, or only where nothing else is asked for. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { ComputeRules } from '../context.ts';
import type { InstanceQuery, PresetQuery } from '../queries.ts';

/** Instances are selected by another query than the one that was asked. */
function instancesBy(
  name: string,
  summary: string,
  breaks: readonly string[],
  change: (query: InstanceQuery) => InstanceQuery,
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks,
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) =>
        rules.selectInstances(change(query), after, context),
    }),
  };
}

/** Presets are selected by another query than the one that was asked. */
function presetsBy(
  name: string,
  summary: string,
  breaks: readonly string[],
  change: (query: PresetQuery) => PresetQuery,
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks,
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) => rules.selectPresets(change(query), after, context),
    }),
  };
}

const list = (slug: string): string => `compute.list-instances.${slug}`;
const page = (slug: string): string => `compute.pagination.${slug}`;
const preset = (slug: string): string => `compute.presets.${slug}`;

export const laterPageFaults = declareFaults<ComputeRules>([
  instancesBy(
    'begin-is-forgotten-on-page-two',
    'A walk from a date on goes on to what is older.',
    [page('filter-on-later-pages')],
    (query) => (query.page > 1 ? { ...query, begin: undefined } : query),
  ),
  instancesBy(
    'sort-by-gpu-is-turned-round-on-page-two',
    'From the second page on a descending sort by GPU model is ascending.',
    [page('sort-on-later-pages')],
    (query) =>
      query.page > 1 && query.sortField === 'GPU_TYPE' && query.sortDirection === 'DESC'
        ? { ...query, sortDirection: 'ASC' }
        : query,
  ),
  instancesBy(
    'sort-by-status-is-forgotten-on-page-two',
    'From the second page on a sort by status is a sort by name.',
    [page('sort-on-later-pages')],
    (query) =>
      query.page > 1 && query.sortField === 'STATUS' ? { ...query, sortField: 'NAME' } : query,
  ),
  instancesBy(
    'sort-by-rate-is-by-name-within-a-region',
    'Beside a region filter a sort by hourly rate is a sort by name.',
    [list('sort-hourly-rate')],
    (query) =>
      query.region !== undefined && query.sortField === 'HOURLY_RATE'
        ? { ...query, sortField: 'NAME' }
        : query,
  ),
  instancesBy(
    'end-is-dropped-beside-a-search',
    'A search goes over all dates up to now.',
    [list('filters-combine')],
    (query) => (query.text === undefined ? query : { ...query, end: undefined }),
  ),
  instancesBy(
    'status-is-dropped-beside-a-begin',
    'A status filter beside a begin date does not count.',
    [list('filters-combine')],
    (query) => (query.begin === undefined ? query : { ...query, status: undefined }),
  ),
  instancesBy(
    'france-is-everywhere-on-page-two',
    'From the second page on the region filter FR is dropped.',
    [page('filter-on-later-pages')],
    (query) => (query.page > 1 && query.region === 'FR' ? { ...query, region: undefined } : query),
  ),
  instancesBy(
    'filters-are-forgotten-on-page-two-of-a-sort',
    'From the second page on a sort by name drops the GPU filter, and every other one the status.',
    [page('filter-on-later-pages')],
    (query) => {
      if (query.page === 1 || query.sortField === undefined) return query;
      return query.sortField === 'NAME'
        ? { ...query, gpuType: undefined }
        : { ...query, status: undefined };
    },
  ),
  {
    name: 'sort-by-rate-loses-one-on-page-two',
    summary: 'The second page of a descending sort by hourly rate lacks its first instance.',
    breaks: [list('sort-keeps-items')],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const found = rules.selectInstances(query, after, context);
        return query.page === 2 &&
          query.sortField === 'HOURLY_RATE' &&
          query.sortDirection !== 'ASC'
          ? { ...found, items: found.items.slice(1) }
          : found;
      },
    }),
  },
  {
    name: 'sort-by-storage-loses-one-on-page-two',
    summary: 'The second page of presets sorted by storage lacks its first preset.',
    breaks: [preset('sort-keeps-items')],
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) => {
        const found = rules.selectPresets(query, after, context);
        return query.page === 2 && query.sortField === 'STORAGE'
          ? { ...found, items: found.items.slice(1) }
          : found;
      },
    }),
  },
  presetsBy(
    'sku-filter-is-forgotten-on-page-two',
    'From the second page on a SKU filter is dropped.',
    [preset('filter-on-later-pages')],
    (query) => (query.page > 1 ? { ...query, sku: undefined } : query),
  ),
  presetsBy(
    'region-of-presets-is-forgotten-on-page-two',
    'From the second page on the region filter of the presets is dropped.',
    [preset('filter-on-later-pages')],
    (query) => (query.page > 1 ? { ...query, region: undefined } : query),
  ),
  presetsBy(
    'region-of-presets-is-forgotten-on-page-two-of-a-sort',
    'From the second page on a sort of presets drops the region filter.',
    [preset('filter-on-later-pages')],
    (query) =>
      query.page > 1 && query.sortField !== undefined ? { ...query, region: undefined } : query,
  ),
  presetsBy(
    'region-of-a-page-of-one-preset-is-another-one',
    'A page for one preset of the region FR shows one of the region US.',
    [preset('region-fr')],
    (query) => (query.size === 1 && query.region === 'FR' ? { ...query, region: 'US' } : query),
  ),
  presetsBy(
    'sort-by-memory-is-by-id-on-page-two',
    'From the second page on presets sorted by memory are sorted by id.',
    [preset('sort-on-later-pages')],
    (query) =>
      query.page > 1 && query.sortField === 'MEMORY' ? { ...query, sortField: 'ID' } : query,
  ),
  presetsBy(
    'sort-by-gpu-is-by-id-within-a-region',
    'Beside a region filter presets sorted by GPU are sorted by id.',
    [preset('sort-gpu')],
    (query) =>
      query.region !== undefined && query.sortField === 'GPU'
        ? { ...query, sortField: 'ID' }
        : query,
  ),
  presetsBy(
    'sku-filter-is-dropped-beside-a-sort',
    'A SKU filter is dropped from a sorted list of presets.',
    [preset('sku-exact')],
    (query) => (query.sortField === undefined ? query : { ...query, sku: undefined }),
  ),
  presetsBy(
    'search-of-presets-drops-the-region',
    'A search of presets is one of all regions.',
    [preset('region-us')],
    (query) => (query.text === undefined ? query : { ...query, region: undefined }),
  ),
]);
