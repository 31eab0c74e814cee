import { assert, property, sample } from 'fast-check';
import { expect, test } from 'vitest';
import {
  withInstanceFilters,
  withPresetFilters,
  instanceQuery,
  instants,
  negativeSize,
  oddQuery,
  oddText,
  servedSize,
  sizeAbove,
} from './lists.ts';

test('sizes keep to their side of the bounds', () => {
  const bounds = { minimum: 1, maximum: 200 };
  assert(property(servedSize(bounds), (size) => size >= 1 && size <= 200));
  assert(property(sizeAbove(200), (size) => BigInt(size) > 200n));
  assert(property(negativeSize, (size) => BigInt(size) < 0n));
});

test('some sizes overflow 64 bits', () => {
  const sizes = sample(sizeAbove(200), { numRuns: 200, seed: 1 });
  expect(sizes.some((size) => BigInt(size) >= 2n ** 64n)).toBe(true);
});

test('odd text can be escaped for a URL', () => {
  assert(property(oddText, (text) => decodeURIComponent(encodeURIComponent(text)) === text));
});

test('an odd query is visible ASCII and speaks of the parameters', () => {
  assert(
    property(oddQuery('size', 'cursor'), (query) => {
      expect(query).toMatch(/^[!-~]+$/u);
      expect(query).toMatch(/size|cursor/u);
    }),
  );
});

const values = { statuses: ['running'], regions: ['FR'], gpuTypes: [], sortFields: ['NAME'] };

test('a direction never comes without a field', () => {
  assert(
    property(
      instanceQuery(values),
      (query) => query.sort_field !== undefined || query.sort_direction === undefined,
    ),
  );
});

test('filters come alone and together, from what there is', () => {
  const queries = sample(instanceQuery(values), { numRuns: 200, seed: 1 });
  expect(queries.some(({ status, region }) => status === 'running' && region === 'FR')).toBe(true);
  expect(queries.some(({ status, region }) => status === undefined && region === 'FR')).toBe(true);
  expect(queries.every(({ gpu_type }) => gpu_type === undefined)).toBe(true);
});

test('two instants lie in the span, the earlier one first', () => {
  assert(property(instants(10, 20), ([early, late]) => 10 <= early && early <= late && late <= 20));
});

test('what is asked for stands beside the rest, and in its place', () => {
  const query = withInstanceFilters({ status: 'no-such-state', size: '201' });
  expect(query).toMatchObject({ status: 'no-such-state', size: '201', sort_field: 'NAME' });
});

test('the filters of presets have the names that the bindings give them', () => {
  const filters = { sku: 'sku', freeText: 'q' };
  expect(Object.keys(withPresetFilters({ size: '0' }, { presets: { filters } }))).toEqual([
    'region',
    'sku',
    'q',
    'sort_field',
    'sort_direction',
    'size',
  ]);
  expect(withPresetFilters({ sort_field: 'NO' }, {})).toEqual({
    region: 'US',
    sort_field: 'NO',
    sort_direction: 'ASC',
  });
});
