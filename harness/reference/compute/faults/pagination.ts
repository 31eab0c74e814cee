/** Wrong pagination objects, invented cursors that are accepted, and filters that apply to the first page only. */

import { readInstanceQuery } from '../operations.ts';
import { invalid } from '../model.ts';
import {
  amend,
  before,
  type Body,
  faultTable,
  isBody,
  otherAccount,
  type Patch,
  replace,
  succeeding,
  each,
  rows,
} from './words.ts';
import {
  forgets,
  instancesBy,
  MORE_THAN_A_PAGE,
  instancesLater,
  taking,
  beyondEnd,
} from './words-lists.ts';

const start = { key: undefined, place: Number.MAX_SAFE_INTEGER } as const;

/** Changes the pagination object of one list. Undefined removes it. */
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

export const paginationFaults = faultTable('compute.pagination', {
  ...each.amend('selectInstances', {
    'filter-on-later-pages: sorted-instances-of-a-state-end-after-two-pages': (page, query) =>
      query.page > 1 && query.status !== undefined && query.sortField !== undefined
        ? { ...page, end: undefined }
        : page,
    'walk-ends: empty-page-of-a-region-leads-on': (page, query) =>
      query.region !== undefined && page.items.length === 0 ? { ...page, end: start } : page,
    'filter-on-later-pages: errored-instances-end-after-a-page': (page, query) =>
      query.status === 'ERRORED' ? { ...page, end: undefined } : page,
    'cursor-leads-on: last-page-of-instances-gives-a-dead-cursor': (page, query) =>
      query.size === 200 && page.end === undefined ? { ...page, end: beyondEnd } : page,
  }),
  ...forgets('begin', {
    'filter-on-later-pages: begin-is-forgotten-on-page-two': instancesLater(),
    'filter-on-later-pages: begin-is-forgotten-on-page-two-of-a-sort': instancesLater('sortField'),
    'filter-on-later-pages: begin-is-forgotten-on-page-two-of-a-status': instancesLater('status'),
    'filter-on-later-pages: begin-is-forgotten-on-page-two-of-a-search': instancesLater('text'),
  }),
  ...forgets('end', {
    'filter-on-later-pages: end-is-forgotten-on-page-two-beside-a-begin': instancesLater('begin'),
  }),
  ...forgets('region', {
    'filter-on-later-pages: region-is-forgotten-on-page-two-going-up': ({ page, sortDirection }) =>
      page > 1 && sortDirection === 'ASC',
  }),
  ...forgets('status', {
    'filter-on-later-pages: status-is-forgotten-on-page-three': ({ page }) => page > 2,
  }),
  ...forgets('text', {
    'search-on-later-pages: search-is-forgotten-on-page-two': ({ page }) => page === 2,
    'search-on-later-pages: search-is-forgotten-on-page-three': ({ page }) => page === 3,
    'search-on-later-pages: search-beside-a-model-is-forgotten-on-page-two':
      instancesLater('gpuType'),
    'search-on-later-pages: search-is-forgotten-on-page-two-of-a-status': instancesLater('status'),
    'search-on-later-pages: search-is-forgotten-on-page-two-of-a-region': instancesLater('region'),
    'search-on-later-pages: search-is-forgotten-on-page-two-of-a-sort': instancesLater('sortField'),
  }),
  ...rows(instancesBy, {
    'filter-on-later-pages: filters-are-forgotten-on-page-two-of-a-sort': (query) => {
      if (query.page === 1 || query.sortField === undefined) return query;
      return query.sortField === 'NAME'
        ? { ...query, gpuType: undefined }
        : { ...query, status: undefined };
    },
    'sort-on-later-pages: sort-by-gpu-is-turned-round-on-page-two': (query) =>
      query.page > 1 && query.sortField === 'GPU_TYPE' && query.sortDirection === 'DESC'
        ? { ...query, sortDirection: 'ASC' }
        : query,
    'sort-on-later-pages: sort-by-status-is-forgotten-on-page-two': (query) =>
      query.page > 1 && query.sortField === 'STATUS' ? { ...query, sortField: 'NAME' } : query,
  }),
  'garbage-cursor-refused: garbage-cursor-starts-anew': taking('instances', (_text, context) => ({
    list: 'instances',
    query: { ...readInstanceQuery(context), page: 0 },
    after: start,
  })),
  'garbage-cursor-gives-nothing + garbage-cursor-refused + compute.scoping.lists-disjoint + compute.scoping.foreign-cursor: garbage-cursor-gives-another-account':
    (rules) => {
      const lost = new WeakSet<object>();
      return {
        ...taking('instances', (_text, context) => {
          lost.add(context);
          return {
            list: 'instances',
            query: { ...readInstanceQuery(context), page: 0 },
            after: start,
          };
        })(rules),
        instancesInReach: (context) =>
          lost.has(context) ? otherAccount(context).instances : rules.instancesInReach(context),
      };
    },
  'garbage-cursor-no-5xx + garbage-cursor-refused: garbage-cursor-crashes': taking(
    'instances',
    (text) => {
      throw new Error(`no such cursor: ${text}`);
    },
  ),
  'garbage-cursor-no-5xx: cursor-beyond-ascii-crashes': taking('instances', (text) => {
    if (/[^\p{ASCII}]/u.test(text)) throw new Error('Only ASCII can be decoded.');
    throw invalid('No such cursor.');
  }),
  'cursor-repeats: cursor-is-good-once': (rules) => {
    const used = new Set<string>();
    return before('decodeCursor', (text, list, { query }) => {
      if (list !== 'instances' || !query.startsWith('cursor=')) return;
      if (used.has(text)) throw invalid('This cursor was used.');
      used.add(text);
    })(rules);
  },
  // Each use of an instance cursor begins one instance later than the use before.
  'cursor-repeats: cursor-moves-on-with-each-use': (rules) => {
    const uses = new Map<string, number>();
    return {
      decodeCursor: (text, list, context) => {
        const cursor = rules.decodeCursor(text, list, context);
        const use = uses.get(text) ?? 0;
        uses.set(text, use + 1);
        const place = cursor.after.place - use;
        return list === 'instances' ? { ...cursor, after: { ...cursor.after, place } } : cursor;
      },
    };
  },
  'sort-on-later-pages: only-the-newest-200-are-sorted': {
    instances: MORE_THAN_A_PAGE,
    patch: replace('compareInstances', (original, left, right, query, context) => {
      const first = context.rules.instancesInReach(context).length - 200;
      const isOlder = left.place < first || right.place < first;
      return isOlder ? right.place - left.place : original(left, right, query, context);
    }),
  },
  'size-echo: later-pages-are-cut-to-nine': amend('queryOfPage', (query, _asked, begun) =>
    begun === undefined ? query : { ...query, size: Math.min(9, query.size) },
  ),
  'size-echo: page-size-counts-one-more-on-page-two': paginating('presets', (pagination, query) =>
    query.includes('cursor=')
      ? { ...pagination, size: Number(pagination['size']) + 1 }
      : pagination,
  ),
  'object-on-instances: instances-window-without-pagination': paginating(
    'list-instances',
    (pagination, query) => (query.includes('date_range_end=') ? undefined : pagination),
  ),
  'object-on-instances: instances-pagination-is-a-list': paginating(
    'list-instances',
    (pagination, _query, items) => (items === 0 ? [] : pagination),
  ),
  'object-on-presets, met by compute.instance-record.location-filter-accepted: presets-without-pagination-when-empty':
    paginating('presets', (pagination, _query, items) => (items === 0 ? undefined : pagination)),
  'next-type: last-page-leaves-next-out': paginating(
    'list-instances',
    ({ next, ...rest }, _query, items) => (items === 0 ? rest : { ...rest, next }),
  ),
  'next-type: next-is-false-on-the-last-page': paginating('presets', ({ next, ...rest }) => ({
    ...rest,
    next: next ?? false,
  })),
  'size-type: page-size-is-text': paginating('list-instances', (pagination, query) =>
    query.includes('cursor=') ? { ...pagination, size: String(pagination['size']) } : pagination,
  ),
  'size-type: page-size-is-absent-from-presets': paginating('presets', ({ next }) => ({ next })),
});
