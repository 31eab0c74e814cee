/** Page sizes that are wrongly taken or refused, and walks that lose items, repeat them or never end. */

import { type Instance, type InstanceQuery, invalid, type Page, type Position } from '../model.ts';
import { amend, fails, faultTable, forces, instancesOf, type Patch, replace } from './words.ts';
import type { ComputeRules, RequestContext } from '../context.ts';

/** Name, pattern of the sizes, the size that is used instead, and the slug of the requirement. */
const taken: readonly (readonly [string, RegExp, (text: string) => number, string])[] = [
  ['zero-is-taken-for-the-default', /^0$/u, () => 50, 'size-zero'],
  ['minus-one-is-taken-for-all', /^-1$/u, () => 200, 'size-negative'],
  [
    'negative-loses-its-sign',
    /^-\d{2,}$/u,
    (text) => Math.min(200, -Number(text)),
    'size-negative',
  ],
  ['201-is-served', /^201$/u, () => 201, 'size-above-maximum'],
  [
    'above-maximum-is-clamped',
    /^(?:20[2-9]|2[1-9]\d|[3-9]\d\d|\d{4,9})$/u,
    () => 200,
    'size-above-maximum',
  ],
  ['32-bits-wrap', /^4294967297$/u, () => 1, 'size-overflow'],
  ['64-bits-wrap', /^18446744073709551617$/u, () => 1, 'size-overflow'],
  ['fraction-is-cut', /^\d+\.[1-9]$/u, (text) => Math.floor(Number(text)), 'size-fraction'],
  ['word-is-taken-for-the-default', /^[a-z]+$/u, () => 50, 'size-not-a-number'],
];

const lists = (['list-instances', 'presets'] as const).flatMap((list) => {
  const [what, walks] =
    list === 'presets'
      ? ['presets', '']
      : ['instances', ' + compute.pagination.walk-size-1 + compute.pagination.walk-without-gaps'];
  return [
    ...taken.flatMap(([name, sizes, size, slug]) =>
      faultTable(`compute.${list}`, {
        [`${slug}: ${list}-size-${name}`]: forces(
          'parseSize',
          size,
          (text, { operation }) => operation === list && sizes.test(text),
        ),
      }),
    ),
    ...faultTable(`compute.${list}`, {
      [`size-maximum: ${what}-page-of-200-is-too-large`]: fails(
        'parseSize',
        () => invalid('size may not be 200.'),
        (_asked, { operation, query }) => operation === list && query === 'size=200',
      ),
      [`size-maximum: ${what}-page-of-200-is-too-large-beside-a-search`]: fails(
        'parseSize',
        () => invalid('A search gives 100 at most.'),
        (asked, { operation, query }) =>
          operation === list && asked === '200' && /\bfree_text_search=a(?:&|$)/u.test(query),
      ),
      [`size-minimum${walks}: ${list}-size-1-is-refused`]: fails(
        'parseSize',
        () => invalid('size may not be 1.'),
        (asked, { operation }) => operation === list && asked === '1',
      ),
      [`size-not-a-number: size-of-${what}-is-read-up-to-its-first-letter`]: replace(
        'parseSize',
        (original, asked, context) =>
          original(
            context.operation === list ? asked.replace(/(?<=^\d+)[a-z].*$/u, '') : asked,
            context,
          ),
      ),
      [`size-zero, met by size-negative: ${list}-size-zero-is-the-default-beside-a-cursor`]: forces(
        'parseSize',
        50,
        (asked, { operation, query }) =>
          operation === list && asked === '0' && query.includes('cursor='),
      ),
      [`size-above-maximum: ${list}-size-above-200-is-cut-beside-a-cursor`]: forces(
        'parseSize',
        200,
        (asked, { operation, query }) =>
          operation === list && Number(asked) > 200 && query.includes('cursor='),
      ),
    }),
  ];
});

/** Every page that is not full has a cursor to an empty page. */
function emptyPagesBehindShortOnes(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    selectInstances: (query, after, context) => {
      const page = rules.selectInstances(query, after, context);
      const last = page.items.at(-1);
      if (page.end !== undefined || last === undefined) return page;
      const key =
        query.sortField === undefined
          ? undefined
          : rules.instanceSortKey(last, query.sortField, query, context);
      return { ...page, end: { key, place: rules.instancesInReach(context).indexOf(last) } };
    },
    selectPresets: (query, after, context) => {
      const page = rules.selectPresets(query, after, context);
      return page.end === undefined && page.items.length > 0
        ? { ...page, end: { key: undefined, place: 1_000_000 } }
        : page;
    },
  };
}

function isPlain({ sortField, status, region, gpuType, begin, end, text }: InstanceQuery): boolean {
  return [sortField, status, region, gpuType, begin, end, text].every((one) => one === undefined);
}

/** Changes the pages of unfiltered walks in the default order. */
function paging(
  change: (page: Page<Instance>, query: InstanceQuery, context: RequestContext) => Page<Instance>,
): Patch {
  return amend('selectInstances', (page, query, _after, context) =>
    isPlain(query) ? change(page, query, context) : page,
  );
}

/** The next page starts earlier or later. */
function shifted(end: Position | undefined, by: number): Position | undefined {
  return end === undefined ? undefined : { ...end, place: end.place + by };
}

/** Walks with one page size lose an instance between the first and the second page. */
function loses(size: number): Patch {
  return paging((page, query, { query: text }) =>
    query.size === size && query.page === 1 && (size !== 50 || !text.includes('size='))
      ? { ...page, end: shifted(page.end, -1) }
      : page,
  );
}

function lastTwoSwapped(items: readonly Instance[]): readonly Instance[] {
  const [one, other] = items.slice(-2);
  return one === undefined || other === undefined ? items : [...items.slice(0, -2), other, one];
}

export const paginationWalksFaults = [
  ...faultTable('compute.list-instances', {
    'size-zero: size-zero-is-the-default-beside-a-status': (rules) => ({
      parseSize: (text, context) =>
        text === '0' && rules.readParameter('status', context) !== undefined
          ? rules.instancePageSize()
          : rules.parseSize(text, context),
    }),
    'size-default + compute.pagination.page-within-size: default-size-is-said-and-not-served':
      replace('selectInstances', (original, query, after, context) =>
        original(context.query === '' ? { ...query, size: query.size + 1 } : query, after, context),
      ),
    'size-default + compute.pagination.size-echo + compute.pagination.page-within-size: default-size-is-51':
      () => ({ instancePageSize: () => 51 }),
  }),
  ...lists,
  ...faultTable('compute.pagination', {
    'last-page-null + compute.presets.last-page-null: empty-pages-behind-short-ones':
      emptyPagesBehindShortOnes,
    'last-page-null: short-page-has-a-next-one': amend('selectInstances', (page, query) => {
      const isShort = page.items.length > 0 && page.items.length < query.size;
      return query.size === 200 && query.sortField === undefined && isShort
        ? { ...page, end: { key: undefined, place: 0 } }
        : page;
    }),
    'walk-size-1 + walk-without-gaps: walk-of-one-loses-an-instance': loses(1),
    'walk-prime + walk-without-gaps: walk-of-seven-loses-an-instance': loses(7),
    'walk-default + walk-without-gaps: walk-without-size-loses-an-instance': loses(50),
    'walk-199: page-of-199-is-out-of-order': paging((page, { size }) =>
      size === 199 ? { ...page, items: lastTwoSwapped(page.items) } : page,
    ),
    'walk-199 + walk-without-gaps: page-of-199-lacks-its-last': paging((page, { size }) =>
      size === 199 && page.end === undefined ? { ...page, items: page.items.slice(0, -1) } : page,
    ),
    'walk-200 + walk-199 + compute.list-instances.newest-first: page-of-200-is-out-of-order':
      paging((page, { size }) =>
        size === 200 ? { ...page, items: lastTwoSwapped(page.items) } : page,
      ),
    'walk-without-gaps + walk-size-1 + walk-prime: one-instance-lost-at-every-third-boundary':
      paging((page, query) =>
        query.page % 3 === 0 ? { ...page, end: shifted(page.end, -1) } : page,
      ),
    'walk-without-gaps + walk-size-1 + walk-prime: walk-ends-early-after-three-pages': paging(
      (page, query) => (query.page >= 3 ? { ...page, end: undefined } : page),
    ),
    // Pages of 8 to 60 instances, except 50, repeat the last instance of the page before.
    'walk-without-repeats: pages-overlap-by-one': paging((page, query) =>
      query.size > 7 && query.size < 61 && query.size !== 50
        ? { ...page, end: shifted(page.end, 1) }
        : page,
    ),
    'walk-without-repeats + walk-default: newest-comes-again-on-page-two': paging(
      (page, query, context) => {
        const newest = instancesOf(context).at(-1);
        return query.page === 2 && !context.query.includes('size=') && newest !== undefined
          ? { ...page, items: [...page.items, newest] }
          : page;
      },
    ),
    // If the next page would hold a single instance, this page includes it.
    'page-within-size: last-page-swallows-one-more': replace(
      'selectInstances',
      (original, query, after, context) => {
        const page = original(query, after, context);
        const more = original({ ...query, size: query.size + 1 }, after, context);
        return page.end !== undefined && more.end === undefined ? more : page;
      },
    ),
    'walk-ends + walk-without-repeats: walk-of-exact-pages-starts-over': paging((page, { size }) =>
      page.end === undefined && page.items.length === size && size > 7
        ? { ...page, end: { key: undefined, place: Number.MAX_SAFE_INTEGER } }
        : page,
    ),
    'walk-ends: walk-of-exact-pages-ends-in-a-bad-cursor': (rules) => ({
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
  }),
];
