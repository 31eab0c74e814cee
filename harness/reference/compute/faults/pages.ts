/** Pagination objects that lack something or say something wrong. */

import { declareFaults } from '../../fault.ts';
import type { ComputeRules } from '../context.ts';
import { type Body, isBody, succeeding } from './answering.ts';

/** The pagination object of one list, changed; undefined takes it away. */
function paginating(
  rules: ComputeRules,
  list: 'list-instances' | 'presets',
  change: (pagination: Body, query: string, items: number) => unknown,
): ComputeRules {
  return succeeding(rules, list, (json, { query }) => {
    const { pagination, ...rest } = json;
    const items = Object.values(rest).find((value): value is unknown[] => Array.isArray(value));
    return isBody(pagination)
      ? { ...rest, pagination: change(pagination, query, items?.length ?? 0) }
      : json;
  });
}

export const pageFaults = declareFaults<ComputeRules>([
  {
    name: 'instances-window-without-pagination',
    summary: 'Pages with an end date alone carry no pagination object.',
    breaks: ['compute.pagination.object-on-instances'],
    patch: (rules) =>
      paginating(rules, 'list-instances', (pagination, query) =>
        query.includes('date_range_end=') ? undefined : pagination,
      ),
  },
  {
    name: 'instances-pagination-is-a-list',
    summary: 'The pagination of instances of one GPU model is a list.',
    breaks: ['compute.pagination.object-on-instances'],
    patch: (rules) =>
      paginating(rules, 'list-instances', (pagination, _query, items) =>
        items === 0 ? [] : pagination,
      ),
  },
  {
    name: 'presets-without-pagination-when-empty',
    summary: 'An empty page of presets carries no pagination object.',
    breaks: ['compute.pagination.object-on-presets'],
    exercisedBy: ['compute.instance-record.location-filter-accepted'],
    patch: (rules) =>
      paginating(rules, 'presets', (pagination, _query, items) =>
        items === 0 ? undefined : pagination,
      ),
  },
  {
    name: 'last-page-leaves-next-out',
    summary: 'An empty page of instances leaves next out in the place of null.',
    breaks: ['compute.pagination.next-type'],
    patch: (rules) =>
      paginating(rules, 'list-instances', ({ next, ...rest }, _query, items) =>
        items === 0 ? rest : { ...rest, next },
      ),
  },
  {
    name: 'next-is-false-on-the-last-page',
    summary: 'The last page of presets says false in the place of null.',
    breaks: ['compute.pagination.next-type'],
    patch: (rules) =>
      paginating(rules, 'presets', ({ next, ...rest }) => ({ ...rest, next: next ?? false })),
  },
  {
    name: 'page-size-is-text',
    summary: 'The size member of pages after the first is text.',
    breaks: ['compute.pagination.size-type'],
    patch: (rules) =>
      paginating(rules, 'list-instances', (pagination, query) =>
        query.includes('cursor=')
          ? { ...pagination, size: String(pagination['size']) }
          : pagination,
      ),
  },
  {
    name: 'page-size-is-absent-from-presets',
    summary: 'Pages of presets do not tell their size.',
    breaks: ['compute.pagination.size-type'],
    patch: (rules) => paginating(rules, 'presets', ({ next }) => ({ next })),
  },
  {
    name: 'page-size-is-the-maximum',
    summary: 'The size member of a page that goes on is always 200.',
    breaks: ['compute.pagination.size-echo', 'compute.list-instances.size-default'],
    patch: (rules) =>
      paginating(rules, 'list-instances', (pagination) =>
        pagination['next'] === null ? pagination : { ...pagination, size: 200 },
      ),
  },
  {
    name: 'page-size-counts-one-more-on-page-two',
    summary: 'The size member of presets is one more than asked for after the first page.',
    breaks: ['compute.pagination.size-echo'],
    patch: (rules) =>
      paginating(rules, 'presets', (pagination, query) =>
        query.includes('cursor=')
          ? { ...pagination, size: Number(pagination['size']) + 1 }
          : pagination,
      ),
  },
]);
