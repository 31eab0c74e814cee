/** Filters and sorts that hold on the first page alone, or only where nothing else is asked for. */

import type { InstanceQuery, PresetQuery } from '../model.ts';
import { amend, faultTable, replace, type Patch } from './answering.ts';

/** Instances are selected by another query than the one that was asked. */
function instancesBy(change: (query: InstanceQuery) => InstanceQuery): Patch {
  return replace('selectInstances', (original, query, after, context) =>
    original(change(query), after, context),
  );
}

/** Presets are selected by another query than the one that was asked. */
function presetsBy(change: (query: PresetQuery) => PresetQuery): Patch {
  return replace('selectPresets', (original, query, after, context) =>
    original(change(query), after, context),
  );
}

export const laterPageFaults = faultTable({
  'compute.pagination.filter-on-later-pages': {
    'begin-is-forgotten-on-page-two': {
      says: 'A walk from a date on goes on to what is older.',
      patch: instancesBy((query) => (query.page > 1 ? { ...query, begin: undefined } : query)),
    },
    'france-is-everywhere-on-page-two': {
      says: 'From the second page on the region filter FR is dropped.',
      patch: instancesBy((query) =>
        query.page > 1 && query.region === 'FR' ? { ...query, region: undefined } : query,
      ),
    },
    'filters-are-forgotten-on-page-two-of-a-sort': instancesBy((query) => {
      if (query.page === 1 || query.sortField === undefined) return query;
      return query.sortField === 'NAME'
        ? { ...query, gpuType: undefined }
        : { ...query, status: undefined };
    }),
  },
  'compute.pagination.sort-on-later-pages': {
    'sort-by-gpu-is-turned-round-on-page-two': instancesBy((query) =>
      query.page > 1 && query.sortField === 'GPU_TYPE' && query.sortDirection === 'DESC'
        ? { ...query, sortDirection: 'ASC' }
        : query,
    ),
    'sort-by-status-is-forgotten-on-page-two': instancesBy((query) =>
      query.page > 1 && query.sortField === 'STATUS' ? { ...query, sortField: 'NAME' } : query,
    ),
  },
  'compute.list-instances.sort-hourly-rate': {
    'sort-by-rate-is-by-name-within-a-region': instancesBy((query) =>
      query.region !== undefined && query.sortField === 'HOURLY_RATE'
        ? { ...query, sortField: 'NAME' }
        : query,
    ),
  },
  'compute.list-instances.filters-combine': {
    'end-is-dropped-beside-a-search': {
      says: 'A search goes over all dates up to now.',
      patch: instancesBy((query) =>
        query.text === undefined ? query : { ...query, end: undefined },
      ),
    },
    'status-is-dropped-beside-a-begin': instancesBy((query) =>
      query.begin === undefined ? query : { ...query, status: undefined },
    ),
  },
  'compute.list-instances.sort-keeps-items': {
    'sort-by-rate-loses-one-on-page-two': amend('selectInstances', (found, query) =>
      query.page === 2 && query.sortField === 'HOURLY_RATE' && query.sortDirection !== 'ASC'
        ? { ...found, items: found.items.slice(1) }
        : found,
    ),
  },
  'compute.presets.sort-keeps-items': {
    'sort-by-storage-loses-one-on-page-two': amend('selectPresets', (found, query) =>
      query.page === 2 && query.sortField === 'STORAGE'
        ? { ...found, items: found.items.slice(1) }
        : found,
    ),
  },
  'compute.presets.filter-on-later-pages': {
    'sku-filter-is-forgotten-on-page-two': presetsBy((query) =>
      query.page > 1 ? { ...query, sku: undefined } : query,
    ),
    'region-of-presets-is-forgotten-on-page-two': presetsBy((query) =>
      query.page > 1 ? { ...query, region: undefined } : query,
    ),
    'region-of-presets-is-forgotten-on-page-two-of-a-sort': presetsBy((query) =>
      query.page > 1 && query.sortField !== undefined ? { ...query, region: undefined } : query,
    ),
  },
  'compute.presets.region-fr': {
    'region-of-a-page-of-one-preset-is-another-one': presetsBy((query) =>
      query.size === 1 && query.region === 'FR' ? { ...query, region: 'US' } : query,
    ),
  },
  'compute.presets.sort-on-later-pages': {
    'sort-by-memory-is-by-id-on-page-two': presetsBy((query) =>
      query.page > 1 && query.sortField === 'MEMORY' ? { ...query, sortField: 'ID' } : query,
    ),
  },
  'compute.presets.sort-gpu': {
    'sort-by-gpu-is-by-id-within-a-region': presetsBy((query) =>
      query.region !== undefined && query.sortField === 'GPU'
        ? { ...query, sortField: 'ID' }
        : query,
    ),
  },
  'compute.presets.sku-exact': {
    'sku-filter-is-dropped-beside-a-sort': presetsBy((query) =>
      query.sortField === undefined ? query : { ...query, sku: undefined },
    ),
  },
  'compute.presets.region-us': {
    'search-of-presets-drops-the-region': presetsBy((query) =>
      query.text === undefined ? query : { ...query, region: undefined },
    ),
  },
});
