/** Sorts of the instance list that go by something else, or lose what they sort. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { ComputeRules } from '../context.ts';
import type { InstanceQuery, InstanceSortField, SortKey } from '../queries.ts';
import type { Instance } from '../model.ts';
import { MORE_THAN_A_PAGE, instancesOf } from './population.ts';
import { takesFieldsOfOthersFor, takesUnknownFor } from './misreading.ts';

type When = (query: InstanceQuery) => boolean;

/** Sorts by a field go by another key. */
function goesBy(
  name: string,
  summary: string,
  field: InstanceSortField,
  key: (right: SortKey, instance: Instance) => SortKey,
  breaks: readonly string[],
  when: When = () => true,
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks,
    patch: (rules) => ({
      ...rules,
      instanceSortKey: (instance, asked, query, context) => {
        const right = rules.instanceSortKey(instance, asked, query, context);
        return asked === field && when(query) ? key(right, instance) : right;
      },
    }),
  };
}

const asText = (key: SortKey): SortKey => String(key);
const up: When = ({ sortDirection }) => sortDirection === 'ASC';
const down: When = ({ sortDirection }) => sortDirection === 'DESC';
const byLength = (key: SortKey): SortKey => String(key).length;

const sorted = (slug: string): string => `compute.list-instances.sort-${slug}`;

export const listSortFaults = declareFaults<ComputeRules>([
  goesBy(
    'sort-by-status-is-by-creation',
    'A sort by status goes by the time of creation.',
    'STATUS',
    (_, instance) => instance.createdAt,
    [sorted('status'), 'compute.pagination.sort-on-later-pages'],
  ),
  {
    name: 'sort-by-status-goes-up-unless-told',
    summary: 'A sort by status or cost is ascending without a direction.',
    breaks: [sorted('default-direction')],
    patch: (rules) => ({
      ...rules,
      instanceDirection: (query, context) =>
        query.sortDirection === undefined &&
        (query.sortField === 'STATUS' || query.sortField === 'CURRENT_COST')
          ? 'ASC'
          : rules.instanceDirection(query, context),
    }),
  },
  {
    name: 'instances-going-down-by-size-lack-the-last',
    summary: 'The last page of a descending sort by size lacks its last instance.',
    breaks: [sorted('keeps-items'), 'compute.list-instances.filters-combine'],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        return query.sortField === 'SIZE' && down(query) && page.end === undefined
          ? { ...page, items: page.items.slice(0, -1) }
          : page;
      },
    }),
  },
  goesBy('name-sorts-by-length', 'A sort by name goes by its length.', 'NAME', byLength, [
    sorted('name'),
    sorted('default-direction'),
    sorted('reverse'),
    'compute.pagination.sort-on-later-pages',
  ]),
  goesBy(
    'name-sorts-by-its-second-half-going-down',
    'A descending sort by name goes by the id.',
    'NAME',
    (_key, { id }) => id,
    [sorted('name'), sorted('reverse')],
    down,
  ),
  goesBy(
    'gpu-sorts-by-name-going-up',
    'An ascending sort by GPU model goes by name.',
    'GPU_TYPE',
    (_key, { name }) => name,
    [sorted('gpu-type')],
    up,
  ),
  goesBy(
    'gpu-sorts-by-length',
    'A sort by GPU model goes by the length of its name.',
    'GPU_TYPE',
    byLength,
    [sorted('gpu-type'), sorted('default-direction')],
  ),
  goesBy(
    'size-sorts-by-name-going-down',
    'A descending sort by size goes by name.',
    'SIZE',
    (_key, { name }) => name,
    [sorted('size')],
    down,
  ),
  goesBy(
    'region-sorts-by-location',
    'A sort by region goes by the name of the location.',
    'REGION',
    (_key, { preset }) => preset.location,
    [sorted('region'), sorted('default-direction')],
  ),
  goesBy(
    'rate-sorts-as-text',
    'A sort by hourly rate goes by its digits as text.',
    'HOURLY_RATE',
    asText,
    [sorted('hourly-rate'), sorted('default-direction')],
  ),
  goesBy(
    'rate-sorts-by-whole-credits',
    'An ascending sort by hourly rate leaves fractions out.',
    'HOURLY_RATE',
    (rate) => Math.floor(Number(rate)),
    [sorted('hourly-rate')],
    up,
  ),
  goesBy(
    'rate-does-not-sort-beside-an-end-date',
    'Beside an end date, a sort by hourly rate goes by the time of creation.',
    'HOURLY_RATE',
    (_rate, { createdAt }) => createdAt,
    [sorted('hourly-rate')],
    ({ end }) => end !== undefined,
  ),
  goesBy(
    'name-does-not-sort-beside-a-search',
    'Beside a search, a sort by name goes by the time of creation.',
    'NAME',
    (_name, { createdAt }) => createdAt,
    [sorted('name')],
    ({ text }) => text !== undefined,
  ),
  goesBy(
    'region-does-not-sort-beside-a-status',
    'Beside a status, a sort by region goes by the time of creation.',
    'REGION',
    (_region, { createdAt }) => createdAt,
    [sorted('region')],
    ({ status }) => status !== undefined,
  ),
  goesBy(
    'cost-sorts-as-text',
    'A sort by current cost goes by its digits as text.',
    'CURRENT_COST',
    asText,
    [sorted('current-cost')],
  ),
  goesBy(
    'cost-sorts-by-total',
    'A sort by current cost goes by the cost of the whole life.',
    'CURRENT_COST',
    (_cost, { settledCost }) => settledCost,
    [sorted('current-cost')],
  ),
  goesBy(
    'status-sorts-by-name-going-up',
    'An ascending sort by status goes by name.',
    'STATUS',
    (_key, { name }) => name,
    [sorted('status')],
    up,
  ),
  {
    name: 'status-sorts-both-ways-alike',
    summary: 'A sort by status is the same in both directions.',
    breaks: [sorted('status')],
    patch: (rules) => ({
      ...rules,
      instanceDirection: (query, context) =>
        query.sortField === 'STATUS' ? 'ASC' : rules.instanceDirection(query, context),
    }),
  },
  {
    name: 'size-sorts-both-ways-alike',
    summary: 'A sort by size is the same in both directions.',
    breaks: [sorted('size')],
    patch: (rules) => ({
      ...rules,
      instanceDirection: (query, context) =>
        query.sortField === 'SIZE' ? 'DESC' : rules.instanceDirection(query, context),
    }),
  },
  {
    name: 'names-sort-both-ways-alike',
    summary: 'A sort by name is descending in both directions.',
    breaks: [sorted('name'), sorted('reverse'), 'compute.pagination.sort-on-later-pages'],
    patch: (rules) => ({
      ...rules,
      instanceDirection: (query, context) =>
        query.sortField === 'NAME' ? 'DESC' : rules.instanceDirection(query, context),
    }),
  },
  {
    name: 'instances-sort-ascending-unless-told',
    summary: 'Instances sorted without a direction come in ascending order.',
    breaks: [sorted('default-direction')],
    patch: (rules) => ({
      ...rules,
      instanceDirection: (query) => query.sortDirection ?? 'ASC',
    }),
  },
  {
    name: 'rate-sorts-ascending-unless-told',
    summary: 'Instances sorted by hourly rate alone come in ascending order.',
    breaks: [sorted('default-direction')],
    patch: (rules) => ({
      ...rules,
      instanceDirection: (query) =>
        query.sortDirection ?? (query.sortField === 'HOURLY_RATE' ? 'ASC' : 'DESC'),
    }),
  },
  {
    name: 'cost-sorts-ascending-unless-told',
    summary: 'Instances sorted by cost alone come in ascending order.',
    breaks: [sorted('default-direction')],
    patch: (rules) => ({
      ...rules,
      instanceDirection: (query) =>
        query.sortDirection ?? (query.sortField === 'CURRENT_COST' ? 'ASC' : 'DESC'),
    }),
  },
  {
    name: 'sizes-sort-ascending-unless-told',
    summary: 'Instances sorted by size alone come in ascending order.',
    breaks: [sorted('default-direction')],
    patch: (rules) => ({
      ...rules,
      instanceDirection: (query) =>
        query.sortDirection ?? (query.sortField === 'SIZE' ? 'ASC' : 'DESC'),
    }),
  },
  {
    name: 'sort-by-region-drops-one',
    summary: 'An ascending sort by region leaves the oldest instance out.',
    breaks: [sorted('keeps-items'), 'compute.list-instances.filters-combine'],
    exercisedBy: ['compute.list-instances.sort-region', 'compute.list-instances.filters-combine'],
    patch: (rules) => ({
      ...rules,
      isListed: (instance, query, context) =>
        rules.isListed(instance, query, context) &&
        !(query.sortField === 'REGION' && up(query) && instance === instancesOf(context)[0]),
    }),
  },
  {
    name: 'sort-by-cost-drops-what-costs-nothing',
    summary: 'A sort by current cost leaves out what does not run.',
    breaks: [sorted('keeps-items'), 'compute.list-instances.filters-combine'],
    patch: (rules) => ({
      ...rules,
      isListed: (instance, query, context) =>
        rules.isListed(instance, query, context) &&
        (query.sortField !== 'CURRENT_COST' || instance.state === 'RUNNING'),
    }),
  },
  {
    name: 'unknown-sort-field-is-ignored',
    summary: 'A sort field that instances do not have gives the default order.',
    breaks: [sorted('field-unknown')],
    patch: takesUnknownFor('list-instances', 'sort_field', 'NAME'),
  },
  {
    name: 'sort-field-of-presets-is-ignored',
    summary: 'A field by which only presets can be sorted sorts instances by name.',
    breaks: [sorted('field-unknown')],
    patch: takesFieldsOfOthersFor('list-instances', ['HOURLY_PRICE', 'CPU', 'ID'], 'NAME'),
  },
  {
    name: 'unknown-direction-is-descending',
    summary: 'A direction of instances that is none is read as DESC.',
    breaks: [sorted('direction-unknown')],
    patch: takesUnknownFor('list-instances', 'sort_direction', 'DESC'),
  },
  {
    name: 'only-the-newest-200-are-sorted',
    summary: 'A sort moves the newest 200 instances alone, and what is older follows as it is.',
    breaks: ['compute.pagination.sort-on-later-pages'],
    instances: MORE_THAN_A_PAGE,
    patch: (rules) => ({
      ...rules,
      compareInstances: (left, right, query, context) => {
        const first = rules.instancesInReach(context).length - 200;
        const isOlder = left.place < first || right.place < first;
        return isOlder
          ? right.place - left.place
          : rules.compareInstances(left, right, query, context);
      },
    }),
  },
  goesBy(
    'sort-is-forgotten-on-page-two',
    'A sort by name does not hold on the second page.',
    'NAME',
    (_key, { id }) => id,
    ['compute.pagination.sort-on-later-pages'],
    ({ page }) => page === 2,
  ),
]);
