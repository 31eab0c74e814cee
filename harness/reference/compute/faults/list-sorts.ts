/** Sorts of the instance list that go by something else, or lose what they sort. */

import type { Instance, InstanceQuery, InstanceSortField, SortKey } from '../model.ts';
import { MORE_THAN_A_PAGE } from './population.ts';
import { takesFieldsOfOthersFor, takesUnknownFor } from './misreading.ts';
import { unless, amend, faultTable, type Patch } from './answering.ts';

type When = (query: InstanceQuery) => boolean;

/** Sorts by a field go by another key. */
function goesBy(
  field: InstanceSortField,
  key: (right: SortKey, instance: Instance) => SortKey,
  when: When = () => true,
): Patch {
  return amend('instanceSortKey', (right, instance, asked, query) =>
    asked === field && when(query) ? key(right, instance) : right,
  );
}

const asText = (key: SortKey): SortKey => String(key);
const up: When = ({ sortDirection }) => sortDirection === 'ASC';
const down: When = ({ sortDirection }) => sortDirection === 'DESC';
const byLength = (key: SortKey): SortKey => String(key).length;

export const listSortFaults = faultTable({
  'compute.list-instances.sort-status': {
    'sort-by-status-is-by-creation': {
      besides: ['compute.pagination.sort-on-later-pages'],
      patch: goesBy('STATUS', (_, instance) => instance.createdAt),
    },
    'status-sorts-by-name-going-up': goesBy('STATUS', (_key, { name }) => name, up),
    'status-sorts-both-ways-alike': unless(
      'instanceDirection',
      (query) => query.sortField === 'STATUS',
      'ASC',
    ),
  },
  'compute.list-instances.sort-default-direction': {
    'sort-by-status-goes-up-unless-told': unless(
      'instanceDirection',
      (query) =>
        query.sortDirection === undefined &&
        (query.sortField === 'STATUS' || query.sortField === 'CURRENT_COST'),
      'ASC',
    ),
    'instances-sort-ascending-unless-told': () => ({
      instanceDirection: (query) => query.sortDirection ?? 'ASC',
    }),
    'rate-sorts-ascending-unless-told': () => ({
      instanceDirection: (query) =>
        query.sortDirection ?? (query.sortField === 'HOURLY_RATE' ? 'ASC' : 'DESC'),
    }),
    'cost-sorts-ascending-unless-told': () => ({
      instanceDirection: (query) =>
        query.sortDirection ?? (query.sortField === 'CURRENT_COST' ? 'ASC' : 'DESC'),
    }),
    'sizes-sort-ascending-unless-told': () => ({
      instanceDirection: (query) =>
        query.sortDirection ?? (query.sortField === 'SIZE' ? 'ASC' : 'DESC'),
    }),
  },
  'compute.list-instances.sort-keeps-items': {
    'instances-going-down-by-size-lack-the-last': {
      besides: ['compute.list-instances.filters-combine'],
      patch: amend('selectInstances', (page, query) =>
        query.sortField === 'SIZE' && down(query) && page.end === undefined
          ? { ...page, items: page.items.slice(0, -1) }
          : page,
      ),
    },
  },
  'compute.list-instances.sort-name': {
    'name-sorts-by-its-second-half-going-down': {
      besides: ['compute.list-instances.sort-reverse'],
      patch: goesBy('NAME', (_key, { id }) => id, down),
    },
    'name-does-not-sort-beside-a-search': goesBy(
      'NAME',
      (_name, { createdAt }) => createdAt,
      ({ text }) => text !== undefined,
    ),
    'names-sort-both-ways-alike': {
      besides: ['compute.list-instances.sort-reverse', 'compute.pagination.sort-on-later-pages'],
      patch: unless('instanceDirection', (query) => query.sortField === 'NAME', 'DESC'),
    },
  },
  'compute.list-instances.sort-gpu-type': {
    'gpu-sorts-by-name-going-up': goesBy('GPU_TYPE', (_key, { name }) => name, up),
    'gpu-sorts-by-length': {
      besides: ['compute.list-instances.sort-default-direction'],
      patch: goesBy('GPU_TYPE', byLength),
    },
  },
  'compute.list-instances.sort-size': {
    'size-sorts-by-name-going-down': goesBy('SIZE', (_key, { name }) => name, down),
    'size-sorts-both-ways-alike': unless(
      'instanceDirection',
      (query) => query.sortField === 'SIZE',
      'DESC',
    ),
  },
  'compute.list-instances.sort-region': {
    'region-sorts-by-location': {
      besides: ['compute.list-instances.sort-default-direction'],
      patch: goesBy('REGION', (_key, { preset }) => preset.location),
    },
    'region-does-not-sort-beside-a-status': goesBy(
      'REGION',
      (_region, { createdAt }) => createdAt,
      ({ status }) => status !== undefined,
    ),
  },
  'compute.list-instances.sort-hourly-rate': {
    'rate-sorts-as-text': {
      besides: ['compute.list-instances.sort-default-direction'],
      patch: goesBy('HOURLY_RATE', asText),
    },
    'rate-sorts-by-whole-credits': goesBy('HOURLY_RATE', (rate) => Math.floor(Number(rate)), up),
    'rate-does-not-sort-beside-an-end-date': goesBy(
      'HOURLY_RATE',
      (_rate, { createdAt }) => createdAt,
      ({ end }) => end !== undefined,
    ),
  },
  'compute.list-instances.sort-current-cost': {
    'cost-sorts-as-text': goesBy('CURRENT_COST', asText),
    'cost-sorts-by-total': goesBy('CURRENT_COST', (_cost, { settledCost }) => settledCost),
  },
  'compute.list-instances.sort-field-unknown': {
    'unknown-sort-field-is-ignored': takesUnknownFor('list-instances', 'sort_field', 'NAME'),
    'sort-field-of-presets-is-ignored': takesFieldsOfOthersFor(
      'list-instances',
      ['HOURLY_PRICE', 'CPU', 'ID'],
      'NAME',
    ),
  },
  'compute.list-instances.sort-direction-unknown': {
    'unknown-direction-is-descending': takesUnknownFor('list-instances', 'sort_direction', 'DESC'),
  },
  'compute.pagination.sort-on-later-pages': {
    'only-the-newest-200-are-sorted': {
      instances: MORE_THAN_A_PAGE,
      patch: (rules) => ({
        compareInstances: (left, right, query, context) => {
          const first = rules.instancesInReach(context).length - 200;
          const isOlder = left.place < first || right.place < first;
          return isOlder
            ? right.place - left.place
            : rules.compareInstances(left, right, query, context);
        },
      }),
    },
    'sort-is-forgotten-on-page-two': goesBy(
      'NAME',
      (_key, { id }) => id,
      ({ page }) => page === 2,
    ),
  },
});
