import { assert, property, sample } from 'fast-check';
import { expect, test } from 'vitest';
import { instanceQuery } from './instance-query.ts';
import { instants } from './instant.ts';

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
