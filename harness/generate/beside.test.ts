import { expect, test } from 'vitest';
import { amongInstanceFilters, amongPresetFilters } from './beside.ts';

test('what is asked for stands beside the rest, and in its place', () => {
  const query = amongInstanceFilters({ status: 'no-such-state', size: '201' });
  expect(query).toMatchObject({ status: 'no-such-state', size: '201', sort_field: 'NAME' });
});

test('the filters of presets have the names that the bindings give them', () => {
  const filters = { sku: 'sku', freeText: 'q' };
  expect(Object.keys(amongPresetFilters({ size: '0' }, { presets: { filters } }))).toEqual([
    'region',
    'sku',
    'q',
    'sort_field',
    'sort_direction',
    'size',
  ]);
  expect(amongPresetFilters({ sort_field: 'NO' }, {})).toEqual({
    region: 'US',
    sort_field: 'NO',
    sort_direction: 'ASC',
  });
});
