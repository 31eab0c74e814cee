/** What does not count where several other things are asked for. */

import { otherAccount } from './population.ts';
import { unless, replace, amend, faultTable, refusalIn } from './answering.ts';

export const forgottenFaults = faultTable({
  'compute.list-instances.filters-combine': {
    'status-is-forgotten-between-two-dates': unless(
      'matchesStatus',
      (_instance, query) => query.begin !== undefined && query.end !== undefined,
      true,
    ),
    'gpu-is-forgotten-in-sorts-by-name': unless(
      'matchesGpuType',
      (_instance, query) => query.sortField === 'NAME' && query.sortDirection === 'ASC',
      true,
    ),
  },
  'compute.pagination.filter-on-later-pages': {
    'gpu-is-forgotten-on-page-two-of-a-window': unless(
      'matchesGpuType',
      (_instance, query) => query.page > 1 && query.begin !== undefined,
      true,
    ),
  },
  'compute.pagination.search-on-later-pages': {
    'search-is-forgotten-on-page-two-of-a-status': unless(
      'searchMatches',
      (_instance, query) => query.page > 1 && query.status !== undefined,
      true,
    ),
  },
  'compute.list-instances.size-zero': {
    'size-zero-is-the-default-beside-a-status': (rules) => ({
      parseSize: (text, context) =>
        text === '0' && rules.readParameter('status', context) !== undefined
          ? rules.instancePageSize()
          : rules.parseSize(text, context),
    }),
  },
  'compute.presets.size-above-maximum': {
    'presets-size-above-200-is-cut-in-a-region': (rules) => ({
      parseSize: (text, context) =>
        context.operation === 'presets' &&
        Number(text) > 200 &&
        rules.readParameter('region', context) !== undefined
          ? 200
          : rules.parseSize(text, context),
    }),
  },
  'compute.list-instances.date-invalid': {
    'end-that-is-no-date-is-read-as-year-9999-beside-a-begin': (rules) => ({
      parseDate: (name, text, context) =>
        name === 'date_range_end' &&
        rules.readParameter('date_range_begin', context) !== undefined &&
        refusalIn(() => rules.parseDate(name, text, context)) !== undefined
          ? Date.UTC(9999, 0, 1)
          : rules.parseDate(name, text, context),
    }),
  },
  'compute.presets.sort-keeps-items': {
    'presets-by-gpu-lose-what-has-the-same': replace(
      'selectPresets',
      (original, query, after, context) => {
        const page = original(query, after, context);
        if (query.sortField !== 'GPU' || after === undefined) return page;
        const before = original({ ...query, size: after.place + 1 }, undefined, context);
        const last = before.items.at(-1)?.gpu;
        return { ...page, items: page.items.filter(({ gpu }) => gpu !== last) };
      },
    ),
  },
  'compute.scoping.filters-stay-inside': {
    'page-two-of-the-second-account-shows-a-stranger': {
      besides: ['compute.scoping.lists-disjoint'],
      patch: amend('selectInstances', (page, query, _after, context) => {
        const [stranger] = otherAccount(context).instances;
        return context.key?.role === 'second' && query.page > 1 && stranger !== undefined
          ? { ...page, items: [...page.items.slice(0, -1), stranger] }
          : page;
      }),
    },
  },
});
