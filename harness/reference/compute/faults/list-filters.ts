/** Region lists without a code, and filters of the instance list that leak, hide instances or fail now and then. */

import {
  errorCodes,
  type Instance,
  type InstanceQuery,
  type InstanceState,
  invalid,
  notFound,
  Refusal,
  regionCodes,
} from '../model.ts';
import {
  amend,
  fails,
  faultTable,
  forces,
  instancesOf,
  isSecond,
  nowAndThen,
  type Patch,
  replace,
  each,
  gathered,
} from './words.ts';
import {
  forgets,
  instancesBy,
  isLike,
  isLong,
  matchesNothing,
  MORE_THAN_A_PAGE,
  refusesRegion,
} from './words-lists.ts';
import type { RequestContext } from '../context.ts';

/** Whether a search finds the instance by its name. */
function isNamed({ name }: Instance, { text }: InstanceQuery): boolean {
  return text !== undefined && name.includes(text);
}

/** Changes the codes in the body of the region list. */
function codes(change: (right: readonly string[]) => readonly string[]): Patch {
  return () => ({
    regionsBody: ({ choices }) => {
      const { member, item } = choices.regionsBody;
      const list = change(regionCodes).map((code) =>
        item === undefined ? code : { [item]: code },
      );
      return member === undefined ? list : { [member]: list };
    },
  });
}

/** Each status with a state that no filter names, so that an instance that leaks breaks no other filter. */
const statuses = [
  ['RUNNING', 'STARTING', 'running-shows-what-starts-again'],
  ['STOPPED', 'STOPPING', 'stopped-shows-what-is-stopping'],
  ['TERMINATED', 'TERMINATING', 'terminated-shows-what-is-on-its-way'],
  ['ERRORED', 'CREATED', undefined],
] as const;

function firstIn(state: InstanceState, context: RequestContext): Instance | undefined {
  return instancesOf(context).find(
    (instance) => instance.state === state && instance.origin === 'seed',
  );
}

/**
 * A status filter also returns one instance of another state, omits the oldest match, or also returns instances that
 * are on their way to the state (but not those at rest in the state before).
 */
const byStatus = gathered(statuses, ([status, before, shown]) => {
  const slug = status.toLowerCase();
  return {
    [`status-${slug}: status-${slug}-leaks-one-instance`]: forces(
      'matchesStatus',
      true,
      (instance, query, context) =>
        query.status === status && instance === firstIn(before, context),
    ),
    [`status-${slug}: status-${slug}-hides-the-oldest`]: forces(
      'matchesStatus',
      false,
      (instance, query, context) =>
        query.status === status && instance === firstIn(status, context),
    ),
    ...(shown !== undefined && {
      [`status-${slug}: ${shown}`]: forces(
        'matchesStatus',
        true,
        (instance, query, { deployment }) =>
          query.status === status &&
          instance.state === before &&
          deployment.timers.isScheduled(instance),
      ),
    }),
  };
});

export const listFiltersFaults = [
  ...faultTable('compute.regions', {
    'codes-filter-instances + compute.list-instances.region-filter + compute.list-instances.filters-combine: region-uae-is-refused':
      refusesRegion('list-instances', (text) => text === 'UAE', notFound),
    'codes-filter-presets + compute.presets.region-fr: region-fr-of-presets-is-refused':
      refusesRegion(
        'presets',
        (text) => text === 'FR',
        () => new Refusal(403, errorCodes[403], 'FR is not for this account.'),
      ),
    'codes-filter-presets: region-us-of-presets-is-404-without-offers': refusesRegion(
      'presets',
      (_text, { query }) => query === 'region=US',
      notFound,
    ),
    'codes-exact + codes-mentioned: region-us-is-missing': codes((all) =>
      all.filter((code) => code !== 'US'),
    ),
    'codes-exact: region-fr-twice': codes((all) => [...all, 'FR']),
    'codes-exact: now-and-then-there-is-a-fourth-region': nowAndThen(7, (isDue) =>
      amend('regionsBody', (body, { choices }) => {
        if (!Array.isArray(body) || !isDue()) return body;
        const { item } = choices.regionsBody;
        return [...body, item === undefined ? 'DE' : { [item]: 'DE' }];
      }),
    ),
    'codes-mentioned + codes-exact: region-codes-are-lower-case': codes((all) =>
      all.map((code) => code.toLowerCase()),
    ),
    'answers: regions-are-not-found': nowAndThen(3, (isDue) =>
      fails('regionsBody', notFound, isDue),
    ),
  }),
  ...faultTable('compute.list-instances', {
    'status-running + status-stopped + status-terminated + status-errored: status-is-turned-round-on-pages-of-one':
      replace('matchesStatus', (original, instance, query, context) =>
        query.size === 1 && query.status !== undefined
          ? !original(instance, query, context)
          : original(instance, query, context),
      ),
    ...each.forces('matchesStatus', true, {
      'filters-combine: status-is-forgotten-where-a-name-is-searched': isNamed,
      'filters-combine: status-is-forgotten-between-two-dates': (_instance, query) =>
        query.begin !== undefined && query.end !== undefined,
      'status-stopped + filters-combine: second-account-cannot-filter-by-status': (
        _instance,
        _query,
        context,
      ) => isSecond(context),
    }),
    'status-terminated: terminated-cannot-be-sorted': fails(
      'compareInstances',
      () => new TypeError('The archive has no index.'),
      (_left, _right, { status, sortField }) => status === 'TERMINATED' && sortField !== undefined,
    ),
    'status-running: sorted-page-of-one-is-refused': fails(
      'instanceSortKey',
      () => invalid('One item cannot be sorted.'),
      (_instance, _field, { size }) => size === 1,
    ),
    'filters-combine: search-finds-nothing-that-is-terminated': forces(
      'searchMatches',
      false,
      (_instance, { status, text }) => status === 'TERMINATED' && text !== undefined,
    ),
    ...forgets('region', {
      'filters-combine: region-is-forgotten-among-the-terminated': ({ status }) =>
        status === 'TERMINATED',
      'region-filter: regions-behind-the-size-are-forgotten': (_query, context) =>
        /size=.*region=/u.test(context.query),
      'region-unknown-empty: unknown-region-is-no-filter': ({ region }) => region === 'NOWHERE',
      'compute.instance-record.location-filters-no-instances: location-is-forgotten-beside-a-search':
        ({ region, text }, { world }) =>
          text !== undefined && world.presets.some(({ location }) => location === region),
    }),
    ...each.forces('matchesGpuType', true, {
      'filters-combine: gpu-is-forgotten-where-a-name-is-searched': isNamed,
      'sort-keeps-items: gpu-is-forgotten-in-sorts-by-name': (_instance, query) =>
        query.sortField === 'NAME' && query.sortDirection === 'ASC',
      'filters-combine: gpu-is-dropped-beside-three-others': (_instance, query) =>
        [query.status, query.region, query.begin, query.end, query.text].filter(
          (value) => value !== undefined,
        ).length >= 3,
      'gpu-type-filter: second-account-cannot-filter-by-gpu': (_instance, _query, context) =>
        isSecond(context),
      'gpu-type-unknown: gpu-filter-takes-a-first-letter': (instance, query) =>
        query.gpuType !== undefined && instance.preset.gpu.startsWith(query.gpuType),
      'gpu-type-unknown: gpu-filter-takes-several-models': (instance, query) =>
        query.gpuType?.split(',').includes(instance.preset.gpu) === true,
      'gpu-type-unknown: gpu-filter-takes-more-than-a-model': (instance, query) =>
        query.gpuType?.startsWith(instance.preset.gpu) === true,
    }),
    ...forgets('end', {
      'filters-combine: end-is-dropped-beside-a-search': ({ text }) => text !== undefined,
    }),
    'filters-combine: search-is-dropped-beside-a-date-in-a-larger-account': {
      instances: MORE_THAN_A_PAGE,
      patch: instancesBy((query) =>
        (query.begin ?? query.end) === undefined ? query : { ...query, text: undefined },
      ),
    },
    'filters-combine: filters-are-alternatives': replace(
      'matchesQuery',
      (original, instance, query, context) => {
        if (query.region === undefined || query.gpuType === undefined)
          return original(instance, query, context);
        const halves = [{ region: undefined }, { gpuType: undefined }];
        return halves.some((half) => original(instance, { ...query, ...half }, context));
      },
    ),
    'status-errored: errored-show-under-their-filter-alone': forces(
      'matchesStatus',
      false,
      (instance, query) => instance.state === 'ERRORED' && query.status !== 'ERRORED',
    ),
    'status-errored: list-of-a-status-comes-round': amend(
      'selectInstances',
      (page, query, after) => {
        const isWhole = after === undefined && page.end === undefined && page.items.length > 0;
        return isWhole && query.status === 'ERRORED'
          ? { ...page, end: { key: undefined, place: Number.MAX_SAFE_INTEGER } }
          : page;
      },
    ),
    'gpu-type-filter: rarest-gpu-cannot-be-filtered': forces(
      'matchesGpuType',
      false,
      (_instance, query) => query.gpuType === 'RTX 4090',
    ),
    'status-unknown: unknown-status-is-no-filter': forces(
      'parseStatus',
      'RUNNING',
      (text) => text === 'no-such-state' || /^[a-z]+x$/u.test(text),
    ),
    ...each.replace('parseStatus', {
      'status-unknown: status-starts-with-a-state': (original, text, context) =>
        original(/^(?:running|stopped|terminated|errored)/u.exec(text)?.[0] ?? text, context),
      'status-upper-case: status-in-upper-case-is-taken': (original, text, context) =>
        original(text.toLowerCase(), context),
    }),
    ...each.forces('parseStatus', 'RUNNING', {
      'status-unknown: status-all-is-taken': (text) => text === 'all',
      'status-unknown: statuses-come-in-lists': (text) => text.includes(','),
    }),
    'status-not-offered: status-stopping-is-taken': forces(
      'parseStatus',
      'STOPPED',
      (text) => text === 'stopping',
    ),
    ...each.forces('matchesRegion', true, {
      'filters-combine: region-is-forgotten-where-a-name-is-searched': isNamed,
      'region-filter + region-disjoint: region-us-also-gives-an-instance-in-fr': (
        instance,
        query,
        context,
      ) =>
        query.region === 'US' &&
        instance === instancesOf(context).find(({ preset }) => preset.region === 'FR'),
      'region-unknown-empty: region-filter-takes-several-codes': ({ preset }, { region }) =>
        region?.split(',').includes(preset.region ?? '') === true,
      'compute.instance-record.location-filters-no-instances: location-filters-what-is-stopped': (
        { preset },
        { region, status },
      ) => status === 'STOPPED' && preset.location === region,
      'region-unknown-empty: region-filter-takes-a-first-letter': (instance, query) =>
        query.region !== undefined && instance.preset.region?.startsWith(query.region) === true,
    }),
    'region-unknown-accepted: unknown-region-is-an-error': refusesRegion(
      'list-instances',
      matchesNothing,
      notFound,
    ),
    'region-unknown-accepted: long-region-is-refused': refusesRegion('list-instances', isLong, () =>
      invalid('region is too long.'),
    ),
    'gpu-type-unknown: gpu-filter-knows-wildcards': () => ({
      matchesGpuType: (instance, query) =>
        query.gpuType === undefined || isLike(instance.preset.gpu, query.gpuType),
    }),
    'gpu-type-unknown-answer: gpu-that-nobody-has-is-404': fails(
      'selectInstances',
      notFound,
      ({ gpuType }, _after, context) =>
        gpuType !== undefined && instancesOf(context).every(({ preset }) => preset.gpu !== gpuType),
    ),
    ...byStatus,
  }),
];
