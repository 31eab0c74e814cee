import { expect, test } from 'vitest';
import { exchangeOf, listRecord } from './exchange.test.support.ts';
import { verdictsOf } from './verdicts.test.support.ts';

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
