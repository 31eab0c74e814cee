/** Rules of lists that are forgotten where something else is asked for as well. */

import type { InstanceState } from '../model.ts';
import { type Patch, unless, replace, amend, faultTable } from './answering.ts';

/** A status filter that also gives what is on its way to the state, and not what rests before it. */
function showingWhatComesTo(to: 'RUNNING' | 'STOPPED', from: readonly InstanceState[]): Patch {
  return unless(
    'matchesStatus',
    (instance, query, context) =>
      query.status === to &&
      from.includes(instance.state) &&
      context.deployment.isScheduled(instance),
    true,
  );
}

export const besideFaults = faultTable({
  'compute.list-instances.sort-name': {
    'name-sorts-by-rate-beside-a-status': unless(
      'instanceSortKey',
      (_instance, field, query) => field === 'NAME' && query.status !== undefined,
      (instance) => instance.preset.hourlyPrice,
    ),
  },
  'compute.list-instances.sort-gpu-type': {
    'direction-is-forgotten-beside-a-search': unless(
      'instanceDirection',
      (query) => query.text !== undefined,
      'DESC',
    ),
  },
  'compute.pagination.filter-on-later-pages': {
    'errored-instances-end-after-a-page': replace(
      'paginationObject',
      (original, next, size, items, context, query) =>
        original(
          'status' in query && query.status === 'ERRORED' ? null : next,
          size,
          items,
          context,
          query,
        ),
    ),
  },
  'compute.list-instances.newest-first-filtered': {
    'two-running-instances-change-places': {
      exercisedBy: ['compute.list-instances.status-running'],
      patch: amend('selectInstances', (page, query) => {
        const [third, fourth] = page.items.slice(2, 4);
        return query.status === 'RUNNING' && query.sortField === undefined && third && fourth
          ? { ...page, items: page.items.with(2, fourth).with(3, third) }
          : page;
      }),
    },
  },
  'compute.list-instances.status-terminated': {
    'terminated-shows-what-is-on-its-way': {
      says: 'The status filter terminated also gives what a terminate was accepted for.',
      patch: unless(
        'matchesStatus',
        (instance, query, context) =>
          query.status === 'TERMINATED' &&
          instance.state === 'TERMINATING' &&
          context.deployment.isScheduled(instance),
        true,
      ),
    },
  },
  'compute.list-instances.status-running': {
    'running-shows-what-boots': {
      says: 'The status filter running also gives instances that are about to run.',
      patch: showingWhatComesTo('RUNNING', ['CREATED', 'DEPLOYED', 'STARTING']),
    },
  },
  'compute.list-instances.status-stopped': {
    'stopped-shows-what-is-stopping': {
      says: 'The status filter stopped also gives instances that a stop was just accepted for.',
      patch: showingWhatComesTo('STOPPED', ['STOPPING']),
    },
  },
  'compute.list-instances.size-above-maximum': {
    'size-above-200-is-cut-beside-a-sort': unless(
      'parseSize',
      (text, context) =>
        context.operation === 'list-instances' &&
        Number(text) > 200 &&
        context.query.includes('sort_field='),
      200,
    ),
  },
  'compute.list-instances.free-text-too-long': {
    'search-of-256-is-cut-beside-a-sort': replace(
      'parseFreeText',
      (original, name, text, context) =>
        original(
          name,
          context.operation === 'list-instances' && context.query.includes('sort_field=')
            ? text.slice(0, 255)
            : text,
          context,
        ),
    ),
  },
  'compute.presets.direction-ignored': {
    'direction-alone-turns-page-two-of-presets': amend(
      'selectPresets',
      (page, query, _after, context) =>
        query.page === 2 && context.query.includes('sort_direction=DESC')
          ? { ...page, items: page.items.toReversed() }
          : page,
    ),
  },
});
