/** Rules of lists that are forgotten where something else is asked for as well. */

import { declareFaults } from '../../fault.ts';
import type { InstanceState } from '../model.ts';
import type { ComputeRules } from '../context.ts';

/** A status filter that also gives what is on its way to the state, and not what rests before it. */
function showingWhatComesTo(
  rules: ComputeRules,
  to: 'RUNNING' | 'STOPPED',
  from: readonly InstanceState[],
): ComputeRules {
  return {
    ...rules,
    matchesStatus: (instance, query, context) =>
      rules.matchesStatus(instance, query, context) ||
      (query.status === to &&
        from.includes(instance.state) &&
        context.deployment.isScheduled(instance)),
  };
}

export const besideFaults = declareFaults<ComputeRules>([
  {
    name: 'name-sorts-by-rate-beside-a-status',
    summary: 'A sort by name beside a status filter goes by the hourly rate.',
    breaks: ['compute.list-instances.sort-name'],
    patch: (rules) => ({
      ...rules,
      instanceSortKey: (instance, field, query, context) =>
        field === 'NAME' && query.status !== undefined
          ? instance.preset.hourlyPrice
          : rules.instanceSortKey(instance, field, query, context),
    }),
  },
  {
    name: 'direction-is-forgotten-beside-a-search',
    summary: 'A sort beside a search is descending, whatever direction is asked for.',
    breaks: ['compute.list-instances.sort-gpu-type'],
    patch: (rules) => ({
      ...rules,
      instanceDirection: (query, context) =>
        query.text === undefined ? rules.instanceDirection(query, context) : 'DESC',
    }),
  },
  {
    name: 'errored-instances-end-after-a-page',
    summary: 'A list of the instances that erred has no second page.',
    breaks: ['compute.pagination.filter-on-later-pages'],
    patch: (rules) => ({
      ...rules,
      paginationObject: (next, size, items, context, query) =>
        rules.paginationObject(
          'status' in query && query.status === 'ERRORED' ? null : next,
          size,
          items,
          context,
          query,
        ),
    }),
  },
  {
    name: 'two-running-instances-change-places',
    summary: 'Beside a status filter alone, the third and the fourth instance change places.',
    breaks: ['compute.list-instances.newest-first-filtered'],
    exercisedBy: ['compute.list-instances.status-running'],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        const [third, fourth] = page.items.slice(2, 4);
        return query.status === 'RUNNING' && query.sortField === undefined && third && fourth
          ? { ...page, items: page.items.with(2, fourth).with(3, third) }
          : page;
      },
    }),
  },
  {
    name: 'terminated-shows-what-is-on-its-way',
    summary: 'The status filter terminated also gives what a terminate was accepted for.',
    breaks: ['compute.list-instances.status-terminated'],
    patch: (rules) => ({
      ...rules,
      matchesStatus: (instance, query, context) =>
        rules.matchesStatus(instance, query, context) ||
        (query.status === 'TERMINATED' &&
          instance.state === 'TERMINATING' &&
          context.deployment.isScheduled(instance)),
    }),
  },
  {
    name: 'running-shows-what-boots',
    summary: 'The status filter running also gives instances that are about to run.',
    breaks: ['compute.list-instances.status-running'],
    patch: (rules) => showingWhatComesTo(rules, 'RUNNING', ['CREATED', 'DEPLOYED', 'STARTING']),
  },
  {
    name: 'stopped-shows-what-is-stopping',
    summary: 'The status filter stopped also gives instances that a stop was just accepted for.',
    breaks: ['compute.list-instances.status-stopped'],
    patch: (rules) => showingWhatComesTo(rules, 'STOPPED', ['STOPPING']),
  },
  {
    name: 'size-above-200-is-cut-beside-a-sort',
    summary: 'A size above 200 beside a sort is taken for 200.',
    breaks: ['compute.list-instances.size-above-maximum'],
    patch: (rules) => ({
      ...rules,
      parseSize: (text, context) =>
        context.operation === 'list-instances' &&
        Number(text) > 200 &&
        context.query.includes('sort_field=')
          ? 200
          : rules.parseSize(text, context),
    }),
  },
  {
    name: 'search-of-256-is-cut-beside-a-sort',
    summary: 'An instance search for 256 characters beside a sort is cut at 255.',
    breaks: ['compute.list-instances.free-text-too-long'],
    patch: (rules) => ({
      ...rules,
      parseFreeText: (name, text, context) =>
        rules.parseFreeText(
          name,
          context.operation === 'list-instances' && context.query.includes('sort_field=')
            ? text.slice(0, 255)
            : text,
          context,
        ),
    }),
  },
  {
    name: 'direction-alone-turns-page-two-of-presets',
    summary: 'A descending direction without a sort field turns the second page of presets round.',
    breaks: ['compute.presets.direction-ignored'],
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) => {
        const page = rules.selectPresets(query, after, context);
        return query.page === 2 && context.query.includes('sort_direction=DESC')
          ? { ...page, items: page.items.toReversed() }
          : page;
      },
    }),
  },
]);
