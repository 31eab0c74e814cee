import { describe, expect, test } from 'vitest';
import { exchangeOf, listRecord, verdictsOf } from '../compute/exchange.test.support.ts';
import { testRows, testVerdicts } from '../verdict.test.support.ts';
import { lastPageIsNull, madeForDefault, noCrash, shownSize } from './bounds.ts';

function items(count: number) {
  return Array.from({ length: count }, (_, index) =>
    listRecord({ instance_id: `6f1c2f4e-6f0a-4b3c-9a51-${String(index).padStart(12, '0')}` }),
  );
}

const page = (count: number, pagination: unknown, more: { status?: number; query?: string } = {}) =>
  exchangeOf({ body: { data: items(count), pagination }, ...more });

test('the size shown is that of the pagination object, where there is one', () => {
  expect(shownSize(page(0, { next: null, size: 7 }))).toBe(7);
  expect(shownSize(page(0, { size: 7 }, { status: 400 }))).toBeUndefined();
  expect(shownSize(exchangeOf({ body: { data: [], size: 7 } }))).toBeUndefined();
  expect(shownSize(exchangeOf({ body: 'no JSON' }))).toBeUndefined();
});

describe('a page', () => {
  const said = (query: string, count: number, pagination: unknown) =>
    verdictsOf(page(count, pagination, { query }));

  test('with its pagination holds', () => {
    const { seen, broken } = said('size=2', 2, { next: 'c', size: 2 });
    expect(broken).toEqual([]);
    const slugs = 'next-type object-on-instances page-within-size size-echo size-type'.split(' ');
    expect(seen).toEqual(expect.arrayContaining(slugs.map((slug) => `pagination.${slug}`)));
  });

  test.for([
    ['size=2', 1, undefined, 'object-on-instances'],
    ['size=2', 1, { size: 2 }, 'next-type'],
    ['size=2', 1, { next: 7, size: 2 }, 'next-type'],
    ['size=2', 1, { next: '', size: 2 }, 'next-type'],
    ['size=2', 1, { next: null }, 'size-type'],
    ['size=2', 1, { next: null, size: '2' }, 'size-type'],
    ['size=2', 1, { next: null, size: 1.5 }, 'size-type'],
    ['size=2', 1, { next: 'c', size: 1 }, 'size-echo'],
    ['size=2', 2, { next: null, size: 50 }, 'size-echo'],
    ['', 1, { next: 'c', size: 20 }, 'size-echo'],
    ['size=2', 3, { next: null, size: 2 }, 'page-within-size'],
  ] as const)('?%s with %i items and %j is wrong', ([query, count, pagination, slug]) => {
    expect(said(query, count, pagination).broken).toEqual([`pagination.${slug}`]);
  });

  test.for([
    ['size=20', { next: null, size: 3 }],
    ['cursor=x', { next: 'c', size: 3 }],
    ['size=010', { next: 'c', size: 8 }],
    ['size=2&size=3', { next: 'c', size: 3 }],
  ] as const)('?%s with 3 items and %j is open', ([query, pagination]) => {
    const { seen, broken } = said(query, 3, pagination);
    expect(broken).toEqual([]);
    expect(seen).not.toContain('pagination.size-echo');
  });
});

testVerdicts([
  ['a refusal by default', 'broken', madeForDefault(page(0, {}, { status: 400 }), 50)],
  ['trouble by default', 'unseen', madeForDefault(page(0, {}, { status: 503 }), 50)],
]);

testRows(
  'items, size and next by default',
  (count, size, next) =>
    madeForDefault(
      page(Number(count), { next: next === '' ? null : next, size: Number(size) }),
      50,
    ),
  {
    held: ['50,50,more', '50,50', '7,50', '20,50,more'],
    broken: ['7,20', '51,51,more', '20,20,more'],
    unseen: ['7,7'],
  },
);

testRows(
  'an odd request, and a plain one after it',
  (...statuses) => {
    const [odd, plain] = statuses.map((status) => exchangeOf({ status: Number(status) }));
    return noCrash(odd ?? exchangeOf(), plain, 'x');
  },
  { held: ['400', '200'], broken: ['500,200'], unseen: ['500,500', '500', '503,200'] },
);

describe('the last page', () => {
  const five = (count: number, next: unknown) =>
    page(count, { next, size: 5 }, { query: 'size=5' });
  const filtered = page(3, { next: 'c', size: 5 }, { query: 'size=5&region=US' });
  const judged = (...pages: Parameters<typeof lastPageIsNull>) =>
    lastPageIsNull(...pages).judgement;
  const presets = { operation: 'presets' as const, itemsIn: () => [{ sku: 'a' }] };
  const body = { offers: [{ sku: 'a' }], pagination: { next: null, size: 5 } };
  const offers = exchangeOf({ path: '/presets', query: 'size=5', body });
  testVerdicts([
    ['has no cursor', 'held', judged(five(3, null), undefined)],
    ['of another list', 'held', judged(offers, undefined, presets)],
    ['leads to nothing', 'broken', judged(five(3, 'c'), five(0, null))],
    ['of a filter leads to nothing', 'unseen', judged(filtered, five(0, null))],
    ['leads on', 'unseen', judged(five(3, 'c'), five(2, null))],
    ['may lead on', 'unseen', judged(five(3, 'c'), undefined), judged(five(5, 'c'), five(0, null))],
    ['is empty', 'unseen', judged(five(0, null), undefined)],
    ['is none', 'unseen', judged(exchangeOf({ status: 400 }), undefined)],
    ['is none', 'unseen', judged(offers, undefined)],
  ]);
});
