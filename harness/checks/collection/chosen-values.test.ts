import { expect, test } from 'vitest';
import { listRecord } from '../compute/exchange.test.support.ts';
import {
  distinctTexts,
  exactSizes,
  matchesQuery,
  mostShared,
  conclusivePages,
} from './chosen-values.ts';

test.for([
  [{}, true],
  [{ status: 'running' }, true],
  [{ status: 'stopped' }, false],
  [{ region: 'FR', gpu_type: 'H100' }, true],
  [{ region: 'US', gpu_type: 'H100' }, false],
  [{ region: 'FR', gpu_type: 'A100' }, false],
] as const)('%j means a running H100 in FR: %s', ([query, expected]) => {
  const record = listRecord({ status: 'RUNNING', region: 'FR', gpu_type: 'H100' });
  expect(matchesQuery(record, query)).toBe(expected);
});

test('distinct texts leave out what is no text', () => {
  const records = ['a', 'b', 'a', '', 7].map((name) => ({ name }));
  expect(distinctTexts(records, 'name')).toEqual(['a', 'b']);
});

test('the values that go together most often, of records with text in every field', () => {
  const rows = ['RUNNING FR', 'STOPPED FR', 'STOPPED US', 'STOPPED FR', 'STOPPED'];
  const records = rows.map((row) => row.split(' ')).map(([status, region]) => ({ status, region }));
  const shared = { values: { status: 'STOPPED', region: 'FR' }, count: 2 };
  expect(mostShared(records, ['status', 'region'])).toEqual(shared);
  const none = mostShared([{ status: 'RUNNING', region: 7 }], ['status', 'region']);
  expect(none).toEqual({ values: {}, count: 0 });
});

test.for([
  ['among others every page tells', 'x-x-x-x-x-x-', 4, { size: 1, conclusive: 3 }],
  ['among others every page tells', 'x-x-x-x-x-x-', 3, { size: 2, conclusive: 2 }],
  ['of the front only the last page tells', 'xxxxxx-x-', 4, { size: 4, conclusive: 1 }],
  // With pages of two, the second page is `xx` and not conclusive.
  ['a page tells by what comes after the front', 'xxxx-x-x-x-x', 4, { size: 3, conclusive: 2 }],
  // Pages of one would be conclusive twice, but the walk would need 21 of them.
  ['a walk has to come to its end', `x-x-x-${'x'.repeat(18)}`, 3, undefined],
  ['all', 'xxxx', 4, undefined],
  ['one', '-x--', 4, undefined],
  ['none', '----', 4, undefined],
] as const)('%s', ([, letters, lastPage, pages]) => {
  const selected = Array.from(letters, (letter) => letter === 'x');
  expect(conclusivePages(selected, lastPage)).toEqual(pages);
});

test('at most 199 stand on a page, since everything is held against a walk of 200', () => {
  const selected = Array.from({ length: 1_000 }, (_, place) => place % 2 === 0);
  expect(conclusivePages(selected, 4)?.size).toBeLessThan(200);
});

test.for([
  [72, 12, [72, 36, 24, 18, 12, 9, 8, 6]],
  [7, 12, [7, 1]],
  [13, 12, [13]],
  [0, 12, []],
  [1, 12, [1]],
  [600, 3, [200]],
  [600, 4, [200, 150]],
] as const)('%i items in at most %i pages: %j', ([length, mostPages, sizes]) => {
  expect(exactSizes(length, mostPages)).toEqual(sizes);
});
