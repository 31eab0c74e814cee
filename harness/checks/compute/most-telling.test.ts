import { expect, test } from 'vitest';
import { mostTelling, tellingFilters } from './most-telling.ts';

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
  expect(records.filter((record) => byStatus?.matches(record))).toHaveLength(3);
});
