/** Pagination objects that lack something or say something wrong. */

import { type Patch, faultTable, type Body, isBody, succeeding } from './answering.ts';

/** The pagination object of one list, changed; undefined takes it away. */
function paginating(
  list: 'list-instances' | 'presets',
  change: (pagination: Body, query: string, items: number) => unknown,
): Patch {
  return succeeding(list, (json, { query }) => {
    const { pagination, ...rest } = json;
    const items = Object.values(rest).find((value): value is unknown[] => Array.isArray(value));
    return isBody(pagination)
      ? { ...rest, pagination: change(pagination, query, items?.length ?? 0) }
      : json;
  });
}

export const pageFaults = faultTable({
  'compute.pagination.object-on-instances': {
    'instances-window-without-pagination': {
      says: 'Pages with an end date alone carry no pagination object.',
      patch: paginating('list-instances', (pagination, query) =>
        query.includes('date_range_end=') ? undefined : pagination,
      ),
    },
    'instances-pagination-is-a-list': paginating('list-instances', (pagination, _query, items) =>
      items === 0 ? [] : pagination,
    ),
  },
  'compute.pagination.object-on-presets': {
    'presets-without-pagination-when-empty': {
      exercisedBy: ['compute.instance-record.location-filter-accepted'],
      patch: paginating('presets', (pagination, _query, items) =>
        items === 0 ? undefined : pagination,
      ),
    },
  },
  'compute.pagination.next-type': {
    'last-page-leaves-next-out': paginating('list-instances', ({ next, ...rest }, _query, items) =>
      items === 0 ? rest : { ...rest, next },
    ),
    'next-is-false-on-the-last-page': paginating('presets', ({ next, ...rest }) => ({
      ...rest,
      next: next ?? false,
    })),
  },
  'compute.pagination.size-type': {
    'page-size-is-text': paginating('list-instances', (pagination, query) =>
      query.includes('cursor=') ? { ...pagination, size: String(pagination['size']) } : pagination,
    ),
    'page-size-is-absent-from-presets': paginating('presets', ({ next }) => ({ next })),
  },
  'compute.pagination.size-echo': {
    'page-size-is-the-maximum': {
      besides: ['compute.list-instances.size-default'],
      patch: paginating('list-instances', (pagination) =>
        pagination['next'] === null ? pagination : { ...pagination, size: 200 },
      ),
    },
    'page-size-counts-one-more-on-page-two': paginating('presets', (pagination, query) =>
      query.includes('cursor=')
        ? { ...pagination, size: Number(pagination['size']) + 1 }
        : pagination,
    ),
  },
});
