/** Filters of the instance list that leak, hide, or count only now and then. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import type { InstanceQuery } from '../queries.ts';
import type { Instance, InstanceState } from '../model.ts';
import { invalid, notFound } from '../refusal.ts';
import { MORE_THAN_A_PAGE, instancesOf } from './population.ts';
import { hasQuote, isLong, isNowhere, refusesRegion } from './misreading.ts';

const statuses = ['RUNNING', 'STOPPED', 'TERMINATED', 'ERRORED'] as const;
const slugOf = (state: InstanceState): string => state.toLowerCase();

/** One instance that never ran under another state: the filter shows it all the same. */
function leaks(status: (typeof statuses)[number]): Fault<ComputeRules> {
  return {
    name: `status-${slugOf(status)}-leaks-one-instance`,
    summary: `The status filter ${slugOf(status)} also gives one instance that is ${leaked[status]}.`,
    breaks: [`compute.list-instances.status-${slugOf(status)}`],
    patch: (rules) => ({
      ...rules,
      matchesStatus: (instance, query, context) =>
        rules.matchesStatus(instance, query, context) ||
        (query.status === status && instance === firstIn(leaked[status], context)),
    }),
  };
}

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

/** The last of the instances in a state is not found under it. */
function hides(status: (typeof statuses)[number]): Fault<ComputeRules> {
  return {
    name: `status-${slugOf(status)}-hides-the-oldest`,
    summary: `The status filter ${slugOf(status)} leaves the oldest such instance out.`,
    breaks: [`compute.list-instances.status-${slugOf(status)}`],
    patch: (rules) => ({
      ...rules,
      matchesStatus: (instance, query, context) =>
        rules.matchesStatus(instance, query, context) &&
        !(query.status === status && instance === firstIn(status, context)),
    }),
  };
}

type Matcher =
  | 'matchesStatus'
  | 'matchesRegion'
  | 'matchesGpuType'
  | 'matchesDateBegin'
  | 'matchesDateEnd'
  | 'searchMatches';

/** A filter that does not count under some queries. */
function forgets(
  name: string,
  summary: string,
  matcher: Matcher,
  when: (query: InstanceQuery) => boolean,
  breaks: readonly string[],
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks,
    patch: (rules) => ({
      ...rules,
      [matcher]: (instance: Instance, query: InstanceQuery, context: RequestContext) =>
        when(query) || rules[matcher](instance, query, context),
    }),
  };
}

/** What a filter selects comes oldest first. */
function oldestFirst(
  what: string,
  when: (query: InstanceQuery) => boolean,
  exercisedBy: string,
): Fault<ComputeRules> {
  return {
    name: `list-by-${what}-is-oldest-first`,
    summary: `A list by ${what} comes oldest first.`,
    breaks: ['compute.list-instances.newest-first-filtered'],
    exercisedBy: [`compute.list-instances.${exercisedBy}`],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        const isWhole = after === undefined && page.end === undefined;
        return isWhole && when(query) && query.sortField === undefined
          ? { ...page, items: page.items.toReversed() }
          : page;
      },
    }),
  };
}

export const listFilterFaults = declareFaults<ComputeRules>([
  ...statuses.map(leaks),
  ...statuses.map(hides),
  {
    name: 'status-is-turned-round-on-pages-of-one',
    summary: 'A status filter lets everything else through on pages of one.',
    breaks: statuses.map((status) => `compute.list-instances.status-${slugOf(status)}`),
    patch: (rules) => ({
      ...rules,
      matchesStatus: (instance, query, context) =>
        query.size === 1 && query.status !== undefined
          ? !rules.matchesStatus(instance, query, context)
          : rules.matchesStatus(instance, query, context),
    }),
  },
  {
    name: 'errored-show-under-their-filter-alone',
    summary: 'Instances that erred are in no list but that of status=errored.',
    breaks: ['compute.list-instances.status-errored'],
    patch: (rules) => ({
      ...rules,
      matchesStatus: (instance, query, context) =>
        rules.matchesStatus(instance, query, context) &&
        (instance.state !== 'ERRORED' || query.status === 'ERRORED'),
    }),
  },
  forgets(
    'status-is-forgotten-beside-a-region',
    'The status filter does not count beside a region.',
    'matchesStatus',
    ({ region }) => region !== undefined,
    ['compute.list-instances.filters-combine'],
  ),
  forgets(
    'region-is-forgotten-beside-a-sort-by-rate',
    'The region filter does not count in an ascending sort by hourly rate.',
    'matchesRegion',
    ({ sortField, sortDirection }) => sortField === 'HOURLY_RATE' && sortDirection === 'ASC',
    ['compute.list-instances.filters-combine'],
  ),
  forgets(
    'status-is-forgotten-in-sorts-by-cost',
    'The status filter does not count in a sort by cost.',
    'matchesStatus',
    ({ sortField }) => sortField === 'CURRENT_COST',
    ['compute.list-instances.filters-combine'],
  ),
  forgets(
    'gpu-is-forgotten-in-sorts-by-cost',
    'The GPU filter does not count in a sort by cost.',
    'matchesGpuType',
    ({ sortField }) => sortField === 'CURRENT_COST',
    ['compute.list-instances.filters-combine'],
  ),
  forgets(
    'begin-is-forgotten-in-sorts',
    'A begin date does not count in a sort by cost.',
    'matchesDateBegin',
    ({ sortField }) => sortField === 'CURRENT_COST',
    ['compute.list-instances.filters-combine'],
  ),
  forgets(
    'end-is-forgotten-in-sorts',
    'An end date does not count in a sort by rate or cost.',
    'matchesDateEnd',
    ({ sortField }) => sortField === 'CURRENT_COST' || sortField === 'HOURLY_RATE',
    ['compute.list-instances.filters-combine'],
  ),
  forgets(
    'search-is-forgotten-in-sorts-by-cost',
    'A search does not count in a sort by cost.',
    'searchMatches',
    ({ sortField }) => sortField === 'CURRENT_COST',
    ['compute.list-instances.filters-combine'],
  ),
  forgets(
    'search-is-forgotten-beside-a-gpu',
    'A search does not count beside a GPU filter.',
    'searchMatches',
    ({ gpuType }) => gpuType !== undefined,
    ['compute.list-instances.filters-combine'],
  ),
  forgets(
    'region-is-forgotten-beside-a-direction',
    'The region filter does not count beside a direction without a field.',
    'matchesRegion',
    ({ sortField, sortDirection }) => sortField === undefined && sortDirection !== undefined,
    ['compute.list-instances.filters-combine'],
  ),
  {
    name: 'list-of-a-status-comes-round',
    summary: 'After the whole of a list by status there is a page that begins anew.',
    breaks: ['compute.list-instances.status-errored'],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        const isWhole = after === undefined && page.end === undefined && page.items.length > 0;
        return isWhole && query.status === 'ERRORED'
          ? { ...page, end: { key: undefined, place: Number.MAX_SAFE_INTEGER } }
          : page;
      },
    }),
  },
  oldestFirst('status', ({ status }) => status !== undefined, 'status-running'),
  oldestFirst('search', ({ text }) => text !== undefined, 'filters-combine'),
  {
    ...oldestFirst('status', ({ status }) => status !== undefined, 'status-running'),
    name: 'list-by-status-of-a-larger-account-is-oldest-first',
    instances: MORE_THAN_A_PAGE,
  },
  {
    name: 'rarest-gpu-cannot-be-filtered',
    summary: 'The last GPU model in the alphabet is found under no filter.',
    breaks: ['compute.list-instances.gpu-type-filter'],
    patch: (rules) => ({
      ...rules,
      matchesGpuType: (instance, query, context) =>
        rules.matchesGpuType(instance, query, context) && query.gpuType !== 'RTX 4090',
    }),
  },
  forgets(
    'gpu-is-forgotten-beside-a-status',
    'The GPU filter does not count beside a status.',
    'matchesGpuType',
    ({ status }) => status !== undefined,
    ['compute.list-instances.filters-combine'],
  ),
  forgets(
    'region-is-forgotten-on-page-two',
    'The region filter of the instance list does not hold on the second page.',
    'matchesRegion',
    ({ page }) => page === 2,
    ['compute.pagination.filter-on-later-pages'],
  ),
  forgets(
    'gpu-is-forgotten-on-page-three',
    'The GPU filter of the instance list does not hold from the third page on.',
    'matchesGpuType',
    ({ page }) => page >= 3,
    ['compute.pagination.filter-on-later-pages'],
  ),
  forgets(
    'status-is-forgotten-on-page-two',
    'The status filter does not hold on the second page.',
    'matchesStatus',
    ({ page }) => page === 2,
    ['compute.pagination.filter-on-later-pages'],
  ),
  forgets(
    'search-is-forgotten-on-page-two',
    'A search does not hold on the second page.',
    'searchMatches',
    ({ page }) => page === 2,
    ['compute.pagination.search-on-later-pages'],
  ),
  {
    name: 'filters-are-alternatives',
    summary: 'Region and GPU model together give what either of them gives.',
    breaks: ['compute.list-instances.filters-combine'],
    patch: (rules) => ({
      ...rules,
      matchesQuery: (instance, query, context) =>
        query.region !== undefined && query.gpuType !== undefined
          ? [
              { ...query, region: undefined },
              { ...query, gpuType: undefined },
            ].some((half) => rules.matchesQuery(instance, half, context))
          : rules.matchesQuery(instance, query, context),
    }),
  },
  {
    name: 'three-filters-give-nothing',
    summary: 'Status, region and GPU model together give nothing at all.',
    breaks: ['compute.list-instances.filters-combine'],
    exercisedBy: ['compute.list-instances.filters-combine'],
    patch: (rules) => ({
      ...rules,
      matchesQuery: (instance, query, context) =>
        (query.status === undefined || query.region === undefined || query.gpuType === undefined) &&
        rules.matchesQuery(instance, query, context),
    }),
  },
  {
    name: 'unknown-status-is-no-filter',
    summary: 'A status that names no state gives the whole list.',
    breaks: ['compute.list-instances.status-unknown'],
    patch: (rules) => ({
      ...rules,
      parseStatus: (text, context) =>
        text === 'no-such-state' || /^[a-z]+x$/u.test(text)
          ? 'RUNNING'
          : rules.parseStatus(text, context),
    }),
  },
  {
    name: 'status-starts-with-a-state',
    summary: 'A status filter counts up to where a known one ends: runningx is running.',
    breaks: ['compute.list-instances.status-unknown'],
    patch: (rules) => ({
      ...rules,
      parseStatus: (text, context) =>
        rules.parseStatus(
          /^(?:running|stopped|terminated|errored)/u.exec(text)?.[0] ?? text,
          context,
        ),
    }),
  },
  {
    name: 'status-in-upper-case-is-taken',
    summary: 'The status filter takes upper case.',
    breaks: ['compute.list-instances.status-upper-case'],
    patch: (rules) => ({
      ...rules,
      parseStatus: (text, context) => rules.parseStatus(text.toLowerCase(), context),
    }),
  },
  {
    name: 'status-stopping-is-taken',
    summary: 'The status filter takes stopping, and gives what has stopped.',
    breaks: ['compute.list-instances.status-not-offered'],
    patch: (rules) => ({
      ...rules,
      parseStatus: (text, context) =>
        text === 'stopping' ? 'STOPPED' : rules.parseStatus(text, context),
    }),
  },
  {
    name: 'region-us-also-gives-an-instance-in-fr',
    summary: 'The region filter US also gives the oldest instance in FR.',
    breaks: ['compute.list-instances.region-filter', 'compute.list-instances.region-disjoint'],
    patch: (rules) => ({
      ...rules,
      matchesRegion: (instance, query, context) =>
        rules.matchesRegion(instance, query, context) ||
        (query.region === 'US' &&
          instance === instancesOf(context).find(({ preset }) => preset.region === 'FR')),
    }),
  },
  {
    name: 'region-uae-is-refused',
    summary: 'The region code UAE is not found by the instance list.',
    breaks: [
      'compute.regions.codes-filter-instances',
      'compute.list-instances.region-filter',
      'compute.list-instances.filters-combine',
    ],
    patch: refusesRegion('list-instances', (text) => text === 'UAE', notFound),
  },
  {
    name: 'unknown-region-is-no-filter',
    summary: 'A region that does not exist gives the whole instance list.',
    breaks: ['compute.list-instances.region-unknown-empty'],
    patch: (rules) => ({
      ...rules,
      matchesRegion: (instance, query, context) =>
        query.region === 'NOWHERE' || rules.matchesRegion(instance, query, context),
    }),
  },
  {
    name: 'unknown-region-is-an-error',
    summary: 'A region that does not exist, as filter of the instance list, is 404.',
    breaks: ['compute.list-instances.region-unknown-accepted'],
    patch: refusesRegion('list-instances', isNowhere, notFound),
  },
  {
    name: 'long-region-is-refused',
    summary: 'A region of more than 40 characters, as filter of the instance list, is refused.',
    breaks: ['compute.list-instances.region-unknown-accepted'],
    patch: refusesRegion('list-instances', isLong, () => invalid('region is too long.')),
  },
  {
    name: 'region-with-a-quote-is-500',
    summary: 'A quote in a region, as filter of the instance list, is 500.',
    breaks: ['compute.list-instances.region-unknown-accepted'],
    patch: refusesRegion('list-instances', hasQuote, () => new Error('No query.')),
  },
  {
    name: 'gpu-filter-takes-beginnings',
    summary: 'The GPU filter gives every model that begins with the text.',
    breaks: ['compute.list-instances.gpu-type-filter'],
    patch: (rules) => ({
      ...rules,
      matchesGpuType: (instance, query, context) =>
        rules.matchesGpuType(instance, query, context) ||
        (query.gpuType === 'H100' && instance.preset.gpu === 'H200'),
    }),
  },
  {
    name: 'gpu-with-a-space-finds-nothing',
    summary: 'A GPU model with a space in its name finds nothing.',
    breaks: ['compute.list-instances.gpu-type-filter', 'compute.list-instances.filters-combine'],
    patch: (rules) => ({
      ...rules,
      matchesGpuType: (instance, query, context) =>
        rules.matchesGpuType(instance, query, context) && query.gpuType?.includes(' ') !== true,
    }),
  },
  {
    name: 'gpu-filter-takes-a-first-letter',
    summary: 'The GPU filter gives every model that begins with the text.',
    breaks: ['compute.list-instances.gpu-type-unknown'],
    patch: (rules) => ({
      ...rules,
      matchesGpuType: (instance, query, context) =>
        rules.matchesGpuType(instance, query, context) ||
        (query.gpuType !== undefined && instance.preset.gpu.startsWith(query.gpuType)),
    }),
  },
  {
    name: 'gpu-that-nobody-has-is-404',
    summary: 'A GPU model that the account has nowhere, as filter, is not found.',
    breaks: ['compute.list-instances.gpu-type-unknown-answer'],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const isThere = ({ preset }: Instance) => preset.gpu === query.gpuType;
        if (query.gpuType !== undefined && !instancesOf(context).some(isThere)) throw notFound();
        return rules.selectInstances(query, after, context);
      },
    }),
  },
  {
    name: 'region-filter-takes-a-first-letter',
    summary: 'The region filter of instances gives every region that begins with the text.',
    breaks: ['compute.list-instances.region-unknown-empty'],
    patch: (rules) => ({
      ...rules,
      matchesRegion: (instance, query, context) =>
        rules.matchesRegion(instance, query, context) ||
        (query.region !== undefined && instance.preset.region?.startsWith(query.region) === true),
    }),
  },
  {
    name: 'unknown-gpu-is-no-filter',
    summary: 'A GPU model that nobody has gives the whole list.',
    breaks: ['compute.list-instances.gpu-type-unknown'],
    patch: (rules) => ({
      ...rules,
      matchesGpuType: (instance, query, context) =>
        !context.world.presets.some(({ gpu }) => gpu === query.gpuType) ||
        rules.matchesGpuType(instance, query, context),
    }),
  },
]);
