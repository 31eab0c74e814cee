import { expect, test } from 'vitest';
import { listRecord } from '../compute/exchange.test.support.ts';
import {
  distinctTexts,
  exactSizes,
  matchesQuery,
  mostShared,
  mostTelling,
  tellingFilters,
  tellingPages,
} from './chosen-values.ts';

const record = listRecord({ status: 'RUNNING', region: 'FR', gpu_type: 'H100' });

test.each([
  [{}, true],
  [{ status: 'running' }, true],
  [{ status: 'stopped' }, false],
  [{ region: 'FR', gpu_type: 'H100' }, true],
  [{ region: 'US', gpu_type: 'H100' }, false],
  [{ region: 'FR', gpu_type: 'A100' }, false],
])('%j means a running H100 in FR: %s', (query, expected) => {
  expect(matchesQuery(record, query)).toBe(expected);
});

test('distinct texts leave out what is no text', () => {
  const records = ['a', 'b', 'a', '', 7].map((name) => ({ name }));
  expect(distinctTexts(records, 'name')).toEqual(['a', 'b']);
});

test('the values that go together most often', () => {
  const records = [
    { status: 'RUNNING', region: 'FR' },
    { status: 'STOPPED', region: 'FR' },
    { status: 'STOPPED', region: 'US' },
    { status: 'STOPPED', region: 'FR' },
    { status: 'STOPPED' },
  ];
  expect(mostShared(records, ['status', 'region'])).toEqual({
    values: { status: 'STOPPED', region: 'FR' },
    count: 2,
  });
});

test('records without text in every field share nothing', () => {
  expect(mostShared([{ status: 'RUNNING', region: 7 }], ['status', 'region'])).toEqual({
    values: {},
    count: 0,
  });
});

function list(text: string): readonly boolean[] {
  return Array.from(text, (letter) => letter === 'x');
}

test('among others every page tells', () => {
  expect(tellingPages(list('x-x-x-x-x-x-'), 4)).toEqual({ size: 1, telling: 3 });
  expect(tellingPages(list('x-x-x-x-x-x-'), 3)).toEqual({ size: 2, telling: 2 });
});

test('of what stands together at the front only the last page tells', () => {
  expect(tellingPages(list('xxxxxx-x-'), 4)).toEqual({ size: 4, telling: 1 });
});

test('a page tells by what comes after the front', () => {
  // Pages of two: the second is xx at the front, the third begins at the first that is not selected.
  expect(tellingPages(list('xxxx-x-x-x-x'), 4)).toEqual({ size: 3, telling: 2 });
});

test('a walk over all of what is selected comes to its end two pages after those that count', () => {
  // Pages of one would tell twice, and 21 of them are needed.
  expect(tellingPages(list(`x-x-x-${'x'.repeat(18)}`), 3)).toBeUndefined();
});

test('nothing tells where all are selected, or one, or none', () => {
  expect(tellingPages(list('xxxx'), 4)).toBeUndefined();
  expect(tellingPages(list('-x--'), 4)).toBeUndefined();
  expect(tellingPages(list('----'), 4)).toBeUndefined();
});

test('at most 199 stand on a page, as a walk of 200 is what it is held against', () => {
  const long = list('x-'.repeat(500));
  expect(tellingPages(long, 4)?.size).toBeLessThan(200);
});

const records = ['RUNNING', 'STOPPED', 'RUNNING', 'TERMINATED', 'RUNNING', 'STOPPED'].map(
  (status) => ({ status }),
);

test('the value whose later pages would show something else', () => {
  expect(mostTelling(records, 'status', 4)?.value).toBe('RUNNING');
});

test('no value, where none can be filtered by or fills two pages', () => {
  expect(mostTelling([{ status: 'CREATED' }, { status: 'CREATED' }], 'status', 4)).toBeUndefined();
  expect(mostTelling([{ region: 'US' }, { region: 'FR' }], 'region', 4)).toBeUndefined();
});

test('a filter for each field that has such a value, as it is asked for and as it is told', () => {
  const [byStatus, ...others] = tellingFilters(records, 4);
  expect(others).toEqual([]);
  expect(byStatus?.filter).toEqual({ status: 'running' });
  expect(records.filter((one) => byStatus?.matches(one))).toHaveLength(3);
});

test.each([
  [72, 12, [72, 36, 24, 18, 12, 9, 8, 6]],
  [7, 12, [7, 1]],
  [13, 12, [13]],
  [0, 12, []],
  [1, 12, [1]],
  [600, 3, [200]],
  [600, 4, [200, 150]],
])('%i items in at most %i pages: %j', (length, mostPages, sizes) => {
  expect(exactSizes(length, mostPages)).toEqual(sizes);
});
