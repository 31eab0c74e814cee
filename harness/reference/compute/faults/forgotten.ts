/** What does not count where several other things are asked for. */

import { declareFaults } from '../../fault.ts';
import type { ComputeRules } from '../context.ts';
import { otherAccount } from './population.ts';
import { refusalIn } from './answering.ts';

export const forgottenFaults = declareFaults<ComputeRules>([
  {
    name: 'status-is-forgotten-between-two-dates',
    summary: 'The status filter does not count beside a begin and an end date.',
    breaks: ['compute.list-instances.filters-combine'],
    patch: (rules) => ({
      ...rules,
      matchesStatus: (instance, query, context) =>
        (query.begin !== undefined && query.end !== undefined) ||
        rules.matchesStatus(instance, query, context),
    }),
  },
  {
    name: 'gpu-is-forgotten-in-sorts-by-name',
    summary: 'The GPU filter does not count in an ascending sort by name.',
    breaks: ['compute.list-instances.filters-combine'],
    patch: (rules) => ({
      ...rules,
      matchesGpuType: (instance, query, context) =>
        (query.sortField === 'NAME' && query.sortDirection === 'ASC') ||
        rules.matchesGpuType(instance, query, context),
    }),
  },
  {
    name: 'gpu-is-forgotten-on-page-two-of-a-window',
    summary: 'From the second page on the GPU filter does not count beside a begin date.',
    breaks: ['compute.pagination.filter-on-later-pages'],
    patch: (rules) => ({
      ...rules,
      matchesGpuType: (instance, query, context) =>
        (query.page > 1 && query.begin !== undefined) ||
        rules.matchesGpuType(instance, query, context),
    }),
  },
  {
    name: 'search-is-forgotten-on-page-two-of-a-status',
    summary: 'From the second page on a search does not count beside a status filter.',
    breaks: ['compute.pagination.search-on-later-pages'],
    patch: (rules) => ({
      ...rules,
      searchMatches: (instance, query, context) =>
        (query.page > 1 && query.status !== undefined) ||
        rules.searchMatches(instance, query, context),
    }),
  },
  {
    name: 'size-zero-is-the-default-beside-a-status',
    summary: 'Beside a status filter a size of zero is taken for the default.',
    breaks: ['compute.list-instances.size-zero'],
    patch: (rules) => ({
      ...rules,
      parseSize: (text, context) =>
        text === '0' && rules.readParameter('status', context) !== undefined
          ? rules.instancePageSize()
          : rules.parseSize(text, context),
    }),
  },
  {
    name: 'presets-size-above-200-is-cut-in-a-region',
    summary: 'Beside a region filter a size of presets above 200 is taken for 200.',
    breaks: ['compute.presets.size-above-maximum'],
    patch: (rules) => ({
      ...rules,
      parseSize: (text, context) =>
        context.operation === 'presets' &&
        Number(text) > 200 &&
        rules.readParameter('region', context) !== undefined
          ? 200
          : rules.parseSize(text, context),
    }),
  },
  {
    name: 'end-that-is-no-date-is-read-as-year-9999-beside-a-begin',
    summary: 'Beside a begin date an end that is no date counts as one that never comes.',
    breaks: ['compute.list-instances.date-invalid'],
    patch: (rules) => ({
      ...rules,
      parseDate: (name, text, context) =>
        name === 'date_range_end' &&
        rules.readParameter('date_range_begin', context) !== undefined &&
        refusalIn(() => rules.parseDate(name, text, context)) !== undefined
          ? Date.UTC(9999, 0, 1)
          : rules.parseDate(name, text, context),
    }),
  },
  {
    name: 'presets-by-gpu-lose-what-has-the-same',
    summary:
      'A page of presets sorted by GPU lacks what has the same GPU as the last of the page before.',
    breaks: ['compute.presets.sort-keeps-items'],
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) => {
        const page = rules.selectPresets(query, after, context);
        if (query.sortField !== 'GPU' || after === undefined) return page;
        const before = rules.selectPresets({ ...query, size: after.place + 1 }, undefined, context);
        const last = before.items.at(-1)?.gpu;
        return { ...page, items: page.items.filter(({ gpu }) => gpu !== last) };
      },
    }),
  },
  {
    name: 'page-two-of-the-second-account-shows-a-stranger',
    summary:
      'Every page after the first ends in an instance of another account for the second key.',
    breaks: ['compute.scoping.filters-stay-inside', 'compute.scoping.lists-disjoint'],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        const [stranger] = otherAccount(context).instances;
        return context.key?.role === 'second' && query.page > 1 && stranger !== undefined
          ? { ...page, items: [...page.items.slice(0, -1), stranger] }
          : page;
      },
    }),
  },
]);
