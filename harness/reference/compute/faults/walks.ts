/** Walks over the instance list that lose, repeat or never end: at one size, on one page, for one cursor. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import type { InstanceQuery, Page, Position } from '../queries.ts';
import type { Instance } from '../model.ts';
import { invalid } from '../refusal.ts';
import { instancesOf } from './population.ts';

/** The pages of unfiltered walks in the default order, changed. */
function paging(
  rules: ComputeRules,
  change: (page: Page<Instance>, query: InstanceQuery, context: RequestContext) => Page<Instance>,
): ComputeRules {
  return {
    ...rules,
    selectInstances: (query, after, context) => {
      const page = rules.selectInstances(query, after, context);
      return isPlain(query) ? change(page, query, context) : page;
    },
  };
}

function isPlain({ sortField, status, region, gpuType, begin, end, text }: InstanceQuery): boolean {
  return [sortField, status, region, gpuType, begin, end, text].every((one) => one === undefined);
}

/** The next page starts further on, or further back. */
function shifted(end: Position | undefined, by: number): Position | undefined {
  return end === undefined ? undefined : { ...end, place: end.place + by };
}

/** One instance is lost between the first and the second page of walks of some size. */
function loses(name: string, size: number, breaks: readonly string[]): Fault<ComputeRules> {
  return {
    name,
    summary: `A walk of size ${size} passes over one instance between two pages.`,
    breaks,
    patch: (rules) =>
      paging(rules, (page, query, { query: text }) =>
        query.size === size && query.page === 1 && (size !== 50 || !text.includes('size='))
          ? { ...page, end: shifted(page.end, -1) }
          : page,
      ),
  };
}

const gaps = 'compute.pagination.walk-without-gaps';
const repeats = 'compute.pagination.walk-without-repeats';

export const walkFaults = declareFaults<ComputeRules>([
  loses('walk-of-one-loses-an-instance', 1, ['compute.pagination.walk-size-1', gaps]),
  loses('walk-of-seven-loses-an-instance', 7, ['compute.pagination.walk-prime', gaps]),
  loses('walk-without-size-loses-an-instance', 50, ['compute.pagination.walk-default', gaps]),
  {
    name: 'walk-by-cost-loses-an-instance',
    summary: 'The second page of a descending sort by cost lacks its first instance.',
    breaks: ['compute.list-instances.sort-keeps-items'],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        const isLost =
          query.sortField === 'CURRENT_COST' && query.sortDirection === 'DESC' && query.page === 2;
        return isLost ? { ...page, items: page.items.slice(1) } : page;
      },
    }),
  },
  {
    name: 'page-of-199-is-out-of-order',
    summary: 'A page of 199 shows its last two instances in the wrong order.',
    breaks: ['compute.pagination.walk-199'],
    patch: (rules) =>
      paging(rules, (page, { size }) =>
        size === 199 ? { ...page, items: lastTwoSwapped(page.items) } : page,
      ),
  },
  {
    name: 'page-of-200-is-out-of-order',
    summary: 'A page of 200 shows its last two instances in the wrong order.',
    breaks: [
      'compute.pagination.walk-200',
      'compute.pagination.walk-199',
      'compute.list-instances.newest-first',
    ],
    patch: (rules) =>
      paging(rules, (page, { size }) =>
        size === 200 ? { ...page, items: lastTwoSwapped(page.items) } : page,
      ),
  },
  {
    name: 'page-of-199-lacks-its-last',
    summary: 'A page of 199 that is the last one lacks its last instance.',
    breaks: ['compute.pagination.walk-199', gaps],
    patch: (rules) =>
      paging(rules, (page, { size }) =>
        size === 199 && page.end === undefined ? { ...page, items: page.items.slice(0, -1) } : page,
      ),
  },
  {
    name: 'later-pages-lose-their-first',
    summary: 'Every page after the second lacks its first instance.',
    breaks: [gaps, 'compute.pagination.walk-size-1', 'compute.pagination.walk-prime'],
    patch: (rules) =>
      paging(rules, (page, query) =>
        query.page > 2 ? { ...page, items: page.items.slice(1) } : page,
      ),
  },
  {
    name: 'one-instance-lost-at-every-third-boundary',
    summary: 'Every third page is followed by one that starts an instance too late.',
    breaks: [gaps, 'compute.pagination.walk-size-1', 'compute.pagination.walk-prime'],
    patch: (rules) =>
      paging(rules, (page, query) =>
        query.page % 3 === 0 ? { ...page, end: shifted(page.end, -1) } : page,
      ),
  },
  {
    name: 'pages-overlap-by-one',
    summary: 'Pages of sizes between 8 and 60 repeat the last instance of the page before.',
    breaks: [repeats],
    patch: (rules) =>
      paging(rules, (page, query) =>
        query.size > 7 && query.size < 61 && query.size !== 50
          ? { ...page, end: shifted(page.end, 1) }
          : page,
      ),
  },
  {
    name: 'newest-comes-again-on-page-two',
    summary: 'The second page of a walk without a size ends in the newest instance.',
    breaks: [repeats, 'compute.pagination.walk-default'],
    patch: (rules) =>
      paging(rules, (page, query, context) => {
        const newest = instancesOf(context).at(-1);
        return query.page === 2 && !context.query.includes('size=') && newest !== undefined
          ? { ...page, items: [...page.items, newest] }
          : page;
      }),
  },
  {
    name: 'last-page-swallows-one-more',
    summary: 'Where one instance would be left for another page, the page takes it along.',
    breaks: ['compute.pagination.page-within-size'],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        const more = rules.selectInstances({ ...query, size: query.size + 1 }, after, context);
        return page.end !== undefined && more.end === undefined ? more : page;
      },
    }),
  },
  {
    name: 'walk-starts-over',
    summary: 'The last page of a walk by eight or more leads back to the first.',
    breaks: ['compute.pagination.walk-ends', repeats],
    patch: (rules) => endless(rules, ({ size }) => size >= 8 && size < 199),
  },
  {
    name: 'walk-of-exact-pages-starts-over',
    summary: 'A last page that is full leads back to the first.',
    breaks: ['compute.pagination.walk-ends', repeats],
    patch: (rules) =>
      paging(rules, (page, { size }) =>
        page.end === undefined && page.items.length === size && size > 7
          ? { ...page, end: { key: undefined, place: Number.MAX_SAFE_INTEGER } }
          : page,
      ),
  },
  {
    name: 'walk-of-exact-pages-ends-in-a-bad-cursor',
    summary: 'A last page that is full leads on by a cursor that is refused.',
    breaks: ['compute.pagination.walk-ends'],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        const isFull = page.end === undefined && page.items.length === query.size;
        return isFull && query.size > 7 ? { ...page, end: { key: undefined, place: -1 } } : page;
      },
      decodeCursor: (text, list, context) => {
        const cursor = rules.decodeCursor(text, list, context);
        if (cursor.after.place === -1) throw invalid('This cursor is no more.');
        return cursor;
      },
    }),
  },
  {
    name: 'walk-of-one-never-ends',
    summary: 'A walk of one item at a time never comes to a null cursor.',
    breaks: ['compute.pagination.walk-ends', 'compute.pagination.walk-size-1', repeats],
    patch: (rules) => endless(rules, ({ size }) => size === 1),
  },
  {
    name: 'short-page-has-a-next-one',
    summary: 'A page of 200 that is not full leads to an empty one.',
    breaks: ['compute.pagination.last-page-null'],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        const isShort = page.items.length > 0 && page.items.length < query.size;
        return query.size === 200 && query.sortField === undefined && isShort
          ? { ...page, end: { key: undefined, place: 0 } }
          : page;
      },
    }),
  },
  {
    name: 'walk-ends-early-after-three-pages',
    summary: 'A walk ends after its third page, whatever is left.',
    breaks: [gaps, 'compute.pagination.walk-size-1', 'compute.pagination.walk-prime'],
    patch: (rules) =>
      paging(rules, (page, query) => (query.page >= 3 ? { ...page, end: undefined } : page)),
  },
  {
    name: 'exact-multiple-loses-its-last-page',
    summary: 'A list that fills its pages exactly lacks its last page.',
    breaks: [gaps],
    patch: (rules) => ({
      ...rules,
      selectInstances: (query, after, context) => {
        const page = rules.selectInstances(query, after, context);
        const all = { ...query, size: Number.MAX_SAFE_INTEGER };
        const { length } = rules.selectInstances(all, undefined, context).items;
        return query.size > 7 &&
          query.size !== 50 &&
          length % query.size === 0 &&
          query.page === length / query.size - 1
          ? { ...page, end: undefined }
          : page;
      },
    }),
  },
]);

function lastTwoSwapped(items: readonly Instance[]): readonly Instance[] {
  const [one, other] = items.slice(-2);
  return one === undefined || other === undefined ? items : [...items.slice(0, -2), other, one];
}

/** The last page of a walk has a cursor to where the walk began. */
function endless(rules: ComputeRules, when: (query: InstanceQuery) => boolean): ComputeRules {
  return paging(rules, (page, query) =>
    when(query) && page.end === undefined && page.items.length > 0
      ? { ...page, end: { key: undefined, place: Number.MAX_SAFE_INTEGER } }
      : page,
  );
}
