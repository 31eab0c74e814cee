/** Sorts of the instance list that go by something else, or lose what they sort. */

import type { SortKey } from '../model.ts';
import { amend, faultTable, forces } from './words.ts';
import {
  goesBy,
  instancesBy,
  type QueryTest,
  takesFieldsOfOthersFor,
  takesUnknownFor,
} from './words-lists.ts';

const asText = (key: SortKey): SortKey => String(key);

const down: QueryTest = ({ sortDirection }) => sortDirection === 'DESC';

const byLength = (key: SortKey): SortKey => String(key).length;

export const listSortsFaults = faultTable('compute.list-instances', {
  'sort-name: name-sorts-by-rate-beside-a-status': forces(
    'instanceSortKey',
    (instance) => instance.preset.hourlyPrice,
    (_instance, field, query) => field === 'NAME' && query.status !== undefined,
  ),
  'sort-name: name-does-not-sort-beside-a-search': goesBy(
    'NAME',
    (_name, { createdAt }) => createdAt,
    ({ text }) => text !== undefined,
  ),
  'sort-name: names-sort-both-ways-alike': {
    besides: ['sort-reverse', 'compute.pagination.sort-on-later-pages'],
    patch: forces('instanceDirection', 'DESC', (query) => query.sortField === 'NAME'),
  },
  'sort-gpu-type: direction-is-forgotten-beside-a-search': forces(
    'instanceDirection',
    'DESC',
    (query) => query.text !== undefined,
  ),
  'sort-gpu-type + sort-default-direction: gpu-sorts-by-length': goesBy('GPU_TYPE', byLength),
  'sort-hourly-rate: sort-by-rate-is-by-name-within-a-region': instancesBy((query) =>
    query.region !== undefined && query.sortField === 'HOURLY_RATE'
      ? { ...query, sortField: 'NAME' }
      : query,
  ),
  'sort-hourly-rate + sort-default-direction: rate-sorts-as-text': goesBy('HOURLY_RATE', asText),
  'sort-hourly-rate: rate-does-not-sort-beside-an-end-date': goesBy(
    'HOURLY_RATE',
    (_rate, { createdAt }) => createdAt,
    ({ end }) => end !== undefined,
  ),
  'sort-keeps-items + filters-combine: instances-going-down-by-size-lack-the-last': amend(
    'selectInstances',
    (page, query) =>
      query.sortField === 'SIZE' && down(query) && page.end === undefined
        ? { ...page, items: page.items.slice(0, -1) }
        : page,
  ),
  'sort-keeps-items: walk-by-cost-loses-an-instance': amend('selectInstances', (page, query) => {
    const isLost =
      query.sortField === 'CURRENT_COST' && query.sortDirection === 'DESC' && query.page === 2;
    return isLost ? { ...page, items: page.items.slice(1) } : page;
  }),
  'sort-status + compute.pagination.sort-on-later-pages: sort-by-status-is-by-creation': goesBy(
    'STATUS',
    (_, instance) => instance.createdAt,
  ),
  'sort-status: status-sorts-both-ways-alike': forces(
    'instanceDirection',
    'ASC',
    (query) => query.sortField === 'STATUS',
  ),
  'sort-default-direction: sort-by-status-goes-up-unless-told': forces(
    'instanceDirection',
    'ASC',
    (query) =>
      query.sortDirection === undefined &&
      (query.sortField === 'STATUS' || query.sortField === 'CURRENT_COST'),
  ),
  'sort-default-direction: cost-sorts-ascending-unless-told': () => ({
    instanceDirection: (query) =>
      query.sortDirection ?? (query.sortField === 'CURRENT_COST' ? 'ASC' : 'DESC'),
  }),
  'sort-size: size-sorts-by-name-going-down': goesBy('SIZE', (_key, { name }) => name, down),
  'sort-size: size-sorts-both-ways-alike': forces(
    'instanceDirection',
    'DESC',
    (query) => query.sortField === 'SIZE',
  ),
  'sort-region + sort-default-direction: region-sorts-by-location': goesBy(
    'REGION',
    (_key, { preset }) => preset.location,
  ),
  'sort-region: region-does-not-sort-beside-a-status': goesBy(
    'REGION',
    (_region, { createdAt }) => createdAt,
    ({ status }) => status !== undefined,
  ),
  'sort-current-cost: cost-sorts-as-text': goesBy('CURRENT_COST', asText),
  'sort-current-cost: cost-sorts-by-total': goesBy(
    'CURRENT_COST',
    (_cost, { settledCost }) => settledCost,
  ),
  'sort-field-unknown: unknown-sort-field-is-ignored': takesUnknownFor(
    'list-instances',
    'sort_field',
    'NAME',
  ),
  'sort-field-unknown: sort-field-of-presets-is-ignored': takesFieldsOfOthersFor(
    'list-instances',
    ['HOURLY_PRICE', 'CPU', 'ID'],
    'NAME',
  ),
  'sort-direction-unknown: unknown-direction-is-descending': takesUnknownFor(
    'list-instances',
    'sort_direction',
    'DESC',
  ),
});
