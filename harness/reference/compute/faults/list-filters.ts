/** Filters of the instance list that leak, hide, or count only now and then. */

import type { RequestContext } from '../context.ts';
import {
  type Instance,
  type InstanceQuery,
  type InstanceState,
  invalid,
  notFound,
} from '../model.ts';
import { MORE_THAN_A_PAGE, instancesOf } from './population.ts';
import { hasQuote, isLong, isNowhere, refusesRegion } from './misreading.ts';
import { replace, unless, amend, faultTable, type Patch } from './answering.ts';

const statuses = ['RUNNING', 'STOPPED', 'TERMINATED', 'ERRORED'] as const;
const slugOf = (state: InstanceState): string => state.toLowerCase();

/** States that no status filter names, so that no other filter is broken by what leaks. */
const leaked = {
  RUNNING: 'STARTING',
  STOPPED: 'STOPPING',
  TERMINATED: 'TERMINATING',
  ERRORED: 'CREATED',
} as const;

function firstIn(state: InstanceState, context: RequestContext): Instance | undefined {
  return instancesOf(context).find(
    (instance) => instance.state === state && instance.origin === 'seed',
  );
}

/** A status filter also gives one instance that never ran, or leaves the oldest that it should give out. */
const byStatus = statuses.flatMap((status) => {
  const slug = slugOf(status);
  return faultTable({
    [`compute.list-instances.status-${slug}`]: {
      [`status-${slug}-leaks-one-instance`]: unless(
        'matchesStatus',
        (instance, query, context) =>
          query.status === status && instance === firstIn(leaked[status], context),
        true,
      ),
      [`status-${slug}-hides-the-oldest`]: unless(
        'matchesStatus',
        (instance, query, context) =>
          query.status === status && instance === firstIn(status, context),
        false,
      ),
    },
  });
});

type Matcher =
  | 'matchesStatus'
  | 'matchesRegion'
  | 'matchesGpuType'
  | 'matchesDateBegin'
  | 'matchesDateEnd'
  | 'searchMatches';

/** A filter that does not count under some queries. */
function forgets(matcher: Matcher, when: (query: InstanceQuery) => boolean): Patch {
  return (rules) => ({
    [matcher]: (instance: Instance, query: InstanceQuery, context: RequestContext) =>
      when(query) || rules[matcher](instance, query, context),
  });
}

/** What a filter selects comes oldest first. */
function oldestFirst(when: (query: InstanceQuery) => boolean): Patch {
  return amend('selectInstances', (page, query, after) => {
    const isWhole = after === undefined && page.end === undefined;
    return isWhole && when(query) && query.sortField === undefined
      ? { ...page, items: page.items.toReversed() }
      : page;
  });
}

export const listFilterFaults = [
  ...faultTable({
    'compute.list-instances.status-running': {
      'status-is-turned-round-on-pages-of-one': {
        besides: [
          'compute.list-instances.status-stopped',
          'compute.list-instances.status-terminated',
          'compute.list-instances.status-errored',
        ],
        patch: replace('matchesStatus', (original, instance, query, context) =>
          query.size === 1 && query.status !== undefined
            ? !original(instance, query, context)
            : original(instance, query, context),
        ),
      },
    },
    'compute.list-instances.status-errored': {
      'errored-show-under-their-filter-alone': {
        says: 'Instances that erred are in no list but that of status=errored.',
        patch: unless(
          'matchesStatus',
          (instance, query) => instance.state === 'ERRORED' && query.status !== 'ERRORED',
          false,
        ),
      },
      'list-of-a-status-comes-round': amend('selectInstances', (page, query, after) => {
        const isWhole = after === undefined && page.end === undefined && page.items.length > 0;
        return isWhole && query.status === 'ERRORED'
          ? { ...page, end: { key: undefined, place: Number.MAX_SAFE_INTEGER } }
          : page;
      }),
    },
    'compute.list-instances.filters-combine': {
      'status-is-forgotten-beside-a-region': forgets(
        'matchesStatus',
        ({ region }) => region !== undefined,
      ),
      'region-is-forgotten-beside-a-sort-by-rate': forgets(
        'matchesRegion',
        ({ sortField, sortDirection }) => sortField === 'HOURLY_RATE' && sortDirection === 'ASC',
      ),
      'status-is-forgotten-in-sorts-by-cost': forgets(
        'matchesStatus',
        ({ sortField }) => sortField === 'CURRENT_COST',
      ),
      'gpu-is-forgotten-in-sorts-by-cost': forgets(
        'matchesGpuType',
        ({ sortField }) => sortField === 'CURRENT_COST',
      ),
      'begin-is-forgotten-in-sorts': forgets(
        'matchesDateBegin',
        ({ sortField }) => sortField === 'CURRENT_COST',
      ),
      'end-is-forgotten-in-sorts': forgets(
        'matchesDateEnd',
        ({ sortField }) => sortField === 'CURRENT_COST' || sortField === 'HOURLY_RATE',
      ),
      'search-is-forgotten-in-sorts-by-cost': forgets(
        'searchMatches',
        ({ sortField }) => sortField === 'CURRENT_COST',
      ),
      'search-is-forgotten-beside-a-gpu': forgets(
        'searchMatches',
        ({ gpuType }) => gpuType !== undefined,
      ),
      'region-is-forgotten-beside-a-direction': forgets(
        'matchesRegion',
        ({ sortField, sortDirection }) => sortField === undefined && sortDirection !== undefined,
      ),
      'gpu-is-forgotten-beside-a-status': forgets(
        'matchesGpuType',
        ({ status }) => status !== undefined,
      ),
      'filters-are-alternatives': {
        says: 'Region and GPU model together give what either of them gives.',
        patch: replace('matchesQuery', (original, instance, query, context) =>
          query.region !== undefined && query.gpuType !== undefined
            ? [
                { ...query, region: undefined },
                { ...query, gpuType: undefined },
              ].some((half) => original(instance, half, context))
            : original(instance, query, context),
        ),
      },
    },
    'compute.list-instances.gpu-type-filter': {
      'rarest-gpu-cannot-be-filtered': unless(
        'matchesGpuType',
        (_instance, query) => query.gpuType === 'RTX 4090',
        false,
      ),
      'gpu-filter-takes-beginnings': unless(
        'matchesGpuType',
        (instance, query) => query.gpuType === 'H100' && instance.preset.gpu === 'H200',
        true,
      ),
    },
    'compute.pagination.filter-on-later-pages': {
      'region-is-forgotten-on-page-two': forgets('matchesRegion', ({ page }) => page === 2),
      'gpu-is-forgotten-on-page-three': forgets('matchesGpuType', ({ page }) => page >= 3),
      'status-is-forgotten-on-page-two': forgets('matchesStatus', ({ page }) => page === 2),
    },
    'compute.pagination.search-on-later-pages': {
      'search-is-forgotten-on-page-two': forgets('searchMatches', ({ page }) => page === 2),
    },
    'compute.list-instances.status-unknown': {
      'unknown-status-is-no-filter': unless(
        'parseStatus',
        (text) => text === 'no-such-state' || /^[a-z]+x$/u.test(text),
        'RUNNING',
      ),
      'status-starts-with-a-state': {
        says: 'A status filter counts up to where a known one ends: runningx is running.',
        patch: replace('parseStatus', (original, text, context) =>
          original(/^(?:running|stopped|terminated|errored)/u.exec(text)?.[0] ?? text, context),
        ),
      },
    },
    'compute.list-instances.status-upper-case': {
      'status-in-upper-case-is-taken': replace('parseStatus', (original, text, context) =>
        original(text.toLowerCase(), context),
      ),
    },
    'compute.list-instances.status-not-offered': {
      'status-stopping-is-taken': unless('parseStatus', (text) => text === 'stopping', 'STOPPED'),
    },
    'compute.list-instances.region-filter': {
      'region-us-also-gives-an-instance-in-fr': {
        besides: ['compute.list-instances.region-disjoint'],
        patch: unless(
          'matchesRegion',
          (instance, query, context) =>
            query.region === 'US' &&
            instance === instancesOf(context).find(({ preset }) => preset.region === 'FR'),
          true,
        ),
      },
    },
    'compute.regions.codes-filter-instances': {
      'region-uae-is-refused': {
        besides: ['compute.list-instances.region-filter', 'compute.list-instances.filters-combine'],
        patch: refusesRegion('list-instances', (text) => text === 'UAE', notFound),
      },
    },
    'compute.list-instances.region-unknown-empty': {
      'unknown-region-is-no-filter': {
        says: 'A region that does not exist gives the whole instance list.',
        patch: unless('matchesRegion', (_instance, query) => query.region === 'NOWHERE', true),
      },
      'region-filter-takes-a-first-letter': unless(
        'matchesRegion',
        (instance, query) =>
          query.region !== undefined && instance.preset.region?.startsWith(query.region) === true,
        true,
      ),
    },
    'compute.list-instances.region-unknown-accepted': {
      'unknown-region-is-an-error': {
        says: 'A region that does not exist, as filter of the instance list, is 404.',
        patch: refusesRegion('list-instances', isNowhere, notFound),
      },
      'long-region-is-refused': refusesRegion('list-instances', isLong, () =>
        invalid('region is too long.'),
      ),
      'region-with-a-quote-is-500': refusesRegion(
        'list-instances',
        hasQuote,
        () => new Error('No query.'),
      ),
    },
    'compute.list-instances.gpu-type-unknown': {
      'gpu-filter-takes-a-first-letter': unless(
        'matchesGpuType',
        (instance, query) =>
          query.gpuType !== undefined && instance.preset.gpu.startsWith(query.gpuType),
        true,
      ),
      'unknown-gpu-is-no-filter': {
        says: 'A GPU model that nobody has gives the whole list.',
        patch: unless(
          'matchesGpuType',
          (_instance, query, context) =>
            !context.world.presets.some(({ gpu }) => gpu === query.gpuType),
          true,
        ),
      },
    },
    'compute.list-instances.gpu-type-unknown-answer': {
      'gpu-that-nobody-has-is-404': {
        says: 'A GPU model that the account has nowhere, as filter, is not found.',
        patch: replace('selectInstances', (original, query, after, context) => {
          const isThere = ({ preset }: Instance) => preset.gpu === query.gpuType;
          if (query.gpuType !== undefined && !instancesOf(context).some(isThere)) throw notFound();
          return original(query, after, context);
        }),
      },
    },
  }),
  ...faultTable({
    'compute.list-instances.newest-first-filtered': {
      'list-by-status-is-oldest-first': {
        exercisedBy: ['compute.list-instances.status-running'],
        patch: oldestFirst(({ status }) => status !== undefined),
      },
      'list-by-search-is-oldest-first': {
        exercisedBy: ['compute.list-instances.filters-combine'],
        patch: oldestFirst(({ text }) => text !== undefined),
      },
      'list-by-status-of-a-larger-account-is-oldest-first': {
        exercisedBy: ['compute.list-instances.status-running'],
        instances: MORE_THAN_A_PAGE,
        patch: oldestFirst(({ status }) => status !== undefined),
      },
    },
  }),
  ...byStatus,
];
