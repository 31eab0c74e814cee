/** Lists that work for the first account, and forget or misread a part of what the second one asks for. */

import type { InstanceQuery, PresetQuery } from '../model.ts';
import { amend, faultTable, forces, isSecond, type Patch, replace, rows } from './words.ts';

/** The query that the second account is served by instead of its own. */
function servedBy(change: (query: InstanceQuery) => Partial<InstanceQuery> | false): Patch {
  return replace('selectInstances', (original, query, after, context) =>
    original({ ...query, ...(isSecond(context) && change(query)) }, after, context),
  );
}

function presetsServedBy(change: (query: PresetQuery) => Partial<PresetQuery>): Patch {
  return replace('selectPresets', (original, query, after, context) =>
    original({ ...query, ...(isSecond(context) && change(query)) }, after, context),
  );
}

/** Reads some sizes of the second account as another one. */
function readsSize(instead: string, when: (size: string | undefined) => boolean): Patch {
  return amend('readParameter', (text, name, context) =>
    name === 'size' && isSecond(context) && !context.query.includes('cursor=') && when(text)
      ? instead
      : text,
  );
}

export const secondAccountFaults = [
  ...faultTable('compute.list-instances', {
    ...rows(servedBy, {
      'sort-status: second-account-does-not-sort-by-status': ({ sortField }) =>
        sortField === 'STATUS' && { sortField: undefined },
      'sort-gpu-type: second-account-does-not-sort-by-gpu': ({ sortField }) =>
        sortField === 'GPU_TYPE' && { sortField: undefined },
      'sort-name: second-account-forgets-the-sort-on-page-two': ({ page, sortField }) =>
        page > 1 && sortField === 'NAME' && { sortField: undefined },
      'date-begin-future: second-account-forgets-the-begin-beside-a-status': ({ status }) =>
        status !== undefined && { begin: undefined },
      'date-end-past: second-account-forgets-two-dates': ({ begin, end }) =>
        begin !== undefined && end !== undefined && { begin: undefined, end: undefined },
      'filters-combine: second-account-forgets-the-status-beside-a-search': ({ text }) =>
        text !== undefined && { status: undefined },
      'status-stopped: second-account-forgets-the-status-on-page-two': ({ page }) =>
        page > 1 && { status: undefined },
      'region-filter: second-account-forgets-the-region-beside-a-sort': ({ sortField }) =>
        sortField !== undefined && { region: undefined },
      'region-filter: second-account-forgets-the-region-on-page-two': ({ page }) =>
        page > 1 && { region: undefined },
      'gpu-type-filter: second-account-forgets-the-model-beside-a-region': ({ region }) =>
        region !== undefined && { gpuType: undefined },
      'compute.pagination.search-on-later-pages: second-account-forgets-the-search-on-page-two': ({
        page,
      }) => page > 1 && { text: undefined },
    }),
    'sort-default-direction + sort-hourly-rate: second-account-sorts-upward-by-default': forces(
      'instanceDirection',
      'ASC',
      ({ sortDirection }, context) => isSecond(context) && sortDirection === undefined,
    ),
    'size-default: second-account-has-pages-of-twenty': readsSize(
      '20',
      (size) => size === undefined,
    ),
    'size-zero: second-account-takes-zero-for-the-default': readsSize('50', (size) => size === '0'),
    'size-above-maximum: second-account-gets-large-pages-cut': readsSize(
      '200',
      (size) => Number(size) > 200,
    ),
  }),
  ...faultTable('compute.scoping', {
    ...rows(presetsServedBy, {
      'presets-shared: second-account-searches-presets-in-vain': () => ({ text: undefined }),
      'presets-shared: second-account-asks-for-a-sku-in-vain': () => ({ sku: undefined }),
      'compute.presets.sort-hourly-price, met by presets-shared: second-account-does-not-sort-presets':
        () => ({
          sortField: undefined,
        }),
    }),
  }),
];
