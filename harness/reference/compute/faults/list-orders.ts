/** Orders of the instance list: sorts by the wrong key, and a default order that is not stable. */

import { type Instance, type InstanceQuery, invalid, type SortKey } from '../model.ts';
import {
  amend,
  answering,
  before,
  chained,
  fails,
  faultTable,
  forces,
  isSecond,
  isSuccess,
  lingering,
  staying,
  type Patch,
  onceStarted,
  replace,
  succeeding,
  each,
  rows,
} from './words.ts';
import {
  goesBy,
  instancesBy,
  MORE_THAN_A_PAGE,
  type QueryTest,
  takesUnknownFor,
} from './words-lists.ts';

const asText = (key: SortKey): SortKey => String(key);

const down: QueryTest = ({ sortDirection }) => sortDirection === 'DESC';

const byLength = (key: SortKey): SortKey => String(key).length;

/** Region and GPU filters with a certain character cause a 500. */
function crashing(character: RegExp): Patch {
  return fails(
    'matchesQuery',
    () => new Error('The database refused the text.'),
    (_instance, query) => character.test(`${query.region ?? ''}${query.gpuType ?? ''}`),
  );
}

/** Filtered lists that fit on one page come oldest first. */
function oldestFirst(when: (query: InstanceQuery) => boolean): Patch {
  return amend('selectInstances', (page, query, after) => {
    const isWhole = after === undefined && page.end === undefined;
    return isWhole && when(query) && query.sortField === undefined
      ? { ...page, items: page.items.toReversed() }
      : page;
  });
}

/** Changes the order of creation. */
function reordered(order: (instances: readonly Instance[]) => readonly Instance[]): Patch {
  return amend('instancesInReach', order);
}

/** Swaps two neighbours in the order of creation, so that pages stay consistent with each other. */
function swapped(instances: readonly Instance[], from: number): readonly Instance[] {
  const [one, other] = [instances[from], instances[from + 1]];
  if (one === undefined || other === undefined) return instances;
  return instances.with(from, other).with(from + 1, one);
}

export const listOrdersFaults = faultTable('compute.list-instances', {
  'sort-name: name-sorts-by-rate-beside-a-status': forces(
    'instanceSortKey',
    (instance) => instance.preset.hourlyPrice,
    (_instance, field, query) => field === 'NAME' && query.status !== undefined,
  ),
  'sort-name: second-account-sorts-names-both-ways-alike': forces(
    'instanceDirection',
    'DESC',
    (query, context) => query.sortField === 'NAME' && isSecond(context),
  ),
  'sort-hourly-rate: rate-does-not-sort-beside-two-filters': forces(
    'instanceSortKey',
    ({ createdAt }) => createdAt,
    (_instance, field, { status, region, gpuType, begin, end, text }) =>
      field === 'HOURLY_RATE' &&
      [status, region, gpuType, begin, end, text].filter((one) => one !== undefined).length > 1,
  ),
  'answers-200, met by compute.pagination.cursor-leads-on: later-page-is-206': answering(
    (answer, { operation, query }) =>
      operation === 'list-instances' && query.includes('cursor=') && isSuccess(answer)
        ? { ...answer, status: 206 }
        : answer,
  ),
  'sort-name: name-does-not-sort-beside-a-search': goesBy(
    'NAME',
    (_name, { createdAt }) => createdAt,
    ({ text }) => text !== undefined,
  ),
  ...each.forces('instanceDirection', 'DESC', {
    'sort-name + sort-reverse + compute.pagination.sort-on-later-pages: names-sort-both-ways-alike':
      (query) => query.sortField === 'NAME',
    'sort-gpu-type: direction-is-forgotten-beside-a-search': (query) => query.text !== undefined,
    'sort-size: size-sorts-both-ways-alike': (query) => query.sortField === 'SIZE',
  }),
  'sort-gpu-type + sort-default-direction: gpu-sorts-by-length': goesBy('GPU_TYPE', byLength),
  'sort-gpu-type + sort-region + sort-hourly-rate: second-account-sorts-by-name-alone': replace(
    'instanceSortKey',
    (original, instance, field, query, context) =>
      original(instance, isSecond(context) ? 'NAME' : field, query, context),
  ),
  'sort-hourly-rate: sort-by-rate-is-by-name-within-a-region': instancesBy((query) =>
    query.region !== undefined && query.sortField === 'HOURLY_RATE'
      ? { ...query, sortField: 'NAME' }
      : query,
  ),
  'sort-hourly-rate + sort-default-direction: rate-sorts-as-text': goesBy('HOURLY_RATE', asText),
  'sort-keeps-items: instances-going-down-by-size-lack-the-last': amend(
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
  ...each.forces('instanceDirection', 'ASC', {
    'sort-status: status-sorts-both-ways-alike': (query) => query.sortField === 'STATUS',
    'sort-default-direction + sort-status: sort-by-status-goes-up-unless-told': (query) =>
      query.sortDirection === undefined &&
      (query.sortField === 'STATUS' || query.sortField === 'CURRENT_COST'),
  }),
  'sort-name: direction-before-its-field-is-forgotten': forces(
    'instanceDirection',
    'DESC',
    (_query, context) => /sort_direction.*sort_field=NAME/u.test(context.query),
  ),
  'sort-default-direction: cost-sorts-ascending-unless-told': () => ({
    instanceDirection: (query) =>
      query.sortDirection ?? (query.sortField === 'CURRENT_COST' ? 'ASC' : 'DESC'),
  }),
  'sort-size: size-sorts-by-name-going-down': goesBy('SIZE', (_key, { name }) => name, down),
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
  'sort-field-unknown: sort-field-of-presets-is-ignored': takesUnknownFor(
    'list-instances',
    'sort_field',
    'NAME',
    ['HOURLY_PRICE', 'CPU', 'ID'],
  ),
  'sort-field-unknown: sort-fields-come-with-a-sign': takesUnknownFor(
    'list-instances',
    'sort_field',
    'NAME',
    ['-NAME'],
  ),
  'sort-direction-unknown: unknown-direction-is-descending': takesUnknownFor(
    'list-instances',
    'sort_direction',
    'DESC',
  ),
  'newest-first-filtered, met by status-running: two-running-instances-change-places': amend(
    'selectInstances',
    (page, query) => {
      const [third, fourth] = page.items.slice(2, 4);
      return query.status === 'RUNNING' && query.sortField === undefined && third && fourth
        ? { ...page, items: page.items.with(2, fourth).with(3, third) }
        : page;
    },
  ),
  'newest-first-filtered, met by status-running: list-by-status-of-a-larger-account-is-oldest-first':
    {
      instances: MORE_THAN_A_PAGE,
      patch: oldestFirst(({ status }) => status !== undefined),
    },
  'answers-200: page-of-ten-is-206': answering((answer, { operation, query }) =>
    operation === 'list-instances' && query === 'size=10' && isSuccess(answer)
      ? { ...answer, status: 206 }
      : answer,
  ),
  'parameters-optional + compute.pagination.walk-default + compute.pagination.walk-without-gaps: bare-instance-list-is-refused':
    answering((answer, context) => {
      const { operation, query, key, rules } = context;
      const isBare = operation === 'list-instances' && query === '' && key?.role === 'primary';
      return isBare && isSuccess(answer)
        ? rules.errorAnswer(invalid('size is missing.'), context)
        : answer;
    }),
  'data-array: nothing-found-is-no-list': succeeding('list-instances', (json) =>
    Array.isArray(json['data']) && json['data'].length === 0 ? { ...json, data: {} } : json,
  ),
  'odd-parameters: quotes-crash-the-list': crashing(/'/u),
  'odd-parameters: emoji-crash-the-list': crashing(/[\u{10000}-\u{10FFFF}]/u),
  'own-listed: instance-list-is-always-empty': () => ({ matchesQuery: () => false }),
  'own-listed: stopped-is-not-listed': forces(
    'matchesQuery',
    false,
    (instance) => instance.state === 'STOPPED',
  ),
  'own-listed: what-is-being-stopped-is-in-no-list': chained(
    staying('STARTING', 4_500),
    lingering('STOPPING'),
    forces(
      'matchesQuery',
      false,
      ({ state, origin }) => state === 'STOPPING' && origin === 'provision',
    ),
  ),
  'own-listed: what-runs-again-is-in-no-list': onceStarted((isStarted) =>
    forces('matchesQuery', false, isStarted),
  ),
  ...rows(reordered, {
    'newest-first + newest-first-later-pages: oldest-come-first': (instances) =>
      instances.toReversed(),
    'newest-first + newest-first-later-pages: two-instances-change-places': (instances) =>
      swapped(instances, 42),
    'newest-first: new-instances-come-last': (instances) => {
      const isNew = ({ origin }: Instance): boolean => origin === 'provision';
      return [...instances.filter(isNew), ...instances.filter((one) => !isNew(one))];
    },
    'newest-first-later-pages + newest-first: order-goes-by-name': (instances) =>
      instances.toSorted((one, other) => (one.name < other.name ? 1 : -1)),
  }),
  'newest-first-lasts, met by newest-first-lasts: what-stopped-or-ran-last-comes-first': (
    rules,
  ) => {
    const moved = new Map<string, number>();
    const last = ({ id }: Instance): number => moved.get(id) ?? 0;
    const dated = (instance: Instance): Instance => ({
      ...instance,
      createdAt: moved.get(instance.id) ?? instance.createdAt,
    });
    return chained(
      reordered((instances) => instances.toSorted((one, other) => last(one) - last(other))),
      before('enter', ({ id }, state) => {
        if (state === 'STOPPED' || state === 'RUNNING') moved.set(id, Date.now());
      }),
      replace('matchesDateBegin', (original, instance, ...more) =>
        original(dated(instance), ...more),
      ),
      replace('matchesDateEnd', (original, instance, ...more) =>
        original(dated(instance), ...more),
      ),
    )(rules);
  },
  'newest-first-lasts: what-is-stopped-once-more-comes-first': (rules) => {
    const moved = new Set<Instance>();
    const place = (instance: Instance): number => Number(moved.has(instance));
    return chained(
      reordered((instances) => instances.toSorted((one, other) => place(one) - place(other))),
      before('stopOutcome', (instance) => {
        if (instance.state === 'STOPPED') moved.add(instance);
      }),
    )(rules);
  },
});
