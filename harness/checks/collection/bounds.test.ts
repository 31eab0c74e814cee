import { describe, expect, test } from 'vitest';
import { exchangeOf, listRecord } from '../compute/exchange.test.support.ts';
import { lastPageIsNull, madeForDefault, noCrash, servesPage, shownSize } from './bounds.ts';
import { verdictsOf } from '../compute/verdicts.test.support.ts';
import type { Judgement } from '../judgement.ts';

describe('shown size', () => {
  test('the size is that of the pagination object, where there is one', () => {
    expect(shownSize(exchangeOf({ body: { data: [], pagination: { next: null, size: 7 } } }))).toBe(
      7,
    );
    expect(shownSize(exchangeOf({ body: { data: [], size: 7 } }))).toBeUndefined();
    expect(shownSize(exchangeOf({ body: 'no JSON' }))).toBeUndefined();
    expect(
      shownSize(exchangeOf({ status: 400, body: { pagination: { next: null, size: 7 } } })),
    ).toBeUndefined();
  });
});

describe('page', () => {
  function items(count: number) {
    return Array.from({ length: count }, (_, index) =>
      listRecord({ instance_id: `6f1c2f4e-6f0a-4b3c-9a51-${String(index).padStart(12, '0')}` }),
    );
  }

  function page(query: string, count: number, pagination: unknown) {
    return verdictsOf(exchangeOf({ query, body: { data: items(count), pagination } }));
  }

  test('a page with its pagination holds', () => {
    const { seen, broken } = page('size=2', 2, { next: 'c', size: 2 });
    expect(broken).toEqual([]);
    expect(seen).toEqual(
      expect.arrayContaining([
        'pagination.next-type',
        'pagination.object-on-instances',
        'pagination.page-within-size',
        'pagination.size-echo',
        'pagination.size-type',
      ]),
    );
  });

  test.each([
    ['size=2', 1, undefined, 'pagination.object-on-instances'],
    ['size=2', 1, { size: 2 }, 'pagination.next-type'],
    ['size=2', 1, { next: 7, size: 2 }, 'pagination.next-type'],
    ['size=2', 1, { next: null }, 'pagination.size-type'],
    ['size=2', 1, { next: null, size: '2' }, 'pagination.size-type'],
    ['size=2', 1, { next: null, size: 1.5 }, 'pagination.size-type'],
    ['size=2', 1, { next: 'c', size: 1 }, 'pagination.size-echo'],
    ['size=2', 2, { next: null, size: 50 }, 'pagination.size-echo'],
    ['', 1, { next: 'c', size: 20 }, 'pagination.size-echo'],
    ['size=2', 3, { next: null, size: 2 }, 'pagination.page-within-size'],
  ])('?%s with %i items and %j is wrong', (query, count, pagination, requirement) => {
    expect(page(query, count, pagination).broken).toEqual([requirement]);
  });

  test.each([
    ['size=20', 3, { next: null, size: 3 }],
    ['cursor=x', 3, { next: 'c', size: 3 }],
    ['size=010', 3, { next: 'c', size: 8 }],
    ['size=2&size=3', 3, { next: 'c', size: 3 }],
  ])('?%s with %i items and %j is open', (query, count, pagination) => {
    const { seen, broken } = page(query, count, pagination);
    expect(broken).toEqual([]);
    expect(seen).not.toContain('pagination.size-echo');
  });
});

describe('page size', () => {
  function outcome({ seen, violations }: Judgement): string {
    if (violations.length > 0) return 'violated';
    return seen === 0 ? 'vacuous' : 'held';
  }

  function page(count: number, pagination: unknown, status = 200) {
    const data = Array.from({ length: count }, () => ({}));
    return exchangeOf({ status, body: { data, pagination } });
  }

  test.each([
    [3, 200, 'held'],
    [0, 200, 'held'],
    [4, 200, 'violated'],
    [3, 400, 'violated'],
    [3, 503, 'vacuous'],
  ])('%i items for a size of 3, status %i: %s', (count, status, expected) => {
    expect(outcome(servesPage(page(count, {}, status), 3))).toBe(expected);
  });

  test.each([
    [50, 'more', 50, 'held'],
    [50, null, 50, 'held'],
    [7, null, 50, 'held'],
    [7, null, 7, 'vacuous'],
    [7, null, 20, 'violated'],
    [51, 'more', 51, 'violated'],
    [20, 'more', 20, 'violated'],
    [20, 'more', 50, 'held'],
  ])('%i items, next %s, size %i: %s', (count, next, size, expected) => {
    expect(outcome(madeForDefault(page(count, { next, size }), 50))).toBe(expected);
  });

  test('a refused page is not made for the default', () => {
    expect(outcome(madeForDefault(page(0, {}, 400), 50))).toBe('violated');
    expect(outcome(madeForDefault(page(0, {}, 503), 50))).toBe('vacuous');
  });
});

describe('odd request', () => {
  test.each([
    [400, undefined, 'held'],
    [200, undefined, 'held'],
    [500, 200, 'violated'],
    [500, 500, 'vacuous'],
    [500, undefined, 'vacuous'],
    [503, 200, 'vacuous'],
  ])('%i, and %s for a plain request: %s', (status, plain, expected) => {
    const { seen, violations } = noCrash(
      exchangeOf({ status }),
      plain === undefined ? undefined : exchangeOf({ status: plain }),
      'size=%',
    );
    expect(violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held').toBe(expected);
  });
});

describe('last page', () => {
  function page(count: number, next: unknown) {
    const data = Array.from({ length: count }, () => listRecord());
    return exchangeOf({ query: 'size=5', body: { data, pagination: { next, size: 5 } } });
  }

  test.each([
    [page(3, null), undefined, 'held'],
    [page(3, 'c'), page(0, null), 'violated'],
    [page(3, 'c'), page(2, null), 'vacuous'],
    [page(3, 'c'), undefined, 'vacuous'],
    [page(5, 'c'), page(0, null), 'vacuous'],
    [page(0, null), undefined, 'vacuous'],
    [exchangeOf({ status: 400 }), undefined, 'vacuous'],
  ])('the end of a list', (first, following, expected) => {
    const { seen, violations } = lastPageIsNull(first, following).judgement;
    expect(violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held').toBe(expected);
  });

  test('the end of another list than that of instances', () => {
    const presets = { operation: 'presets' as const, itemsIn: () => [{ sku: 'a' }] };
    const first = exchangeOf({
      path: '/presets',
      query: 'size=5',
      body: { offers: [{ sku: 'a' }], pagination: { next: null, size: 5 } },
    });
    expect(lastPageIsNull(first, undefined).judgement.seen).toBe(0);
    expect(lastPageIsNull(first, undefined, presets).judgement.seen).toBe(1);
  });
});
