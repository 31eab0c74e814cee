import { expect, test } from 'vitest';
import { listRecord } from './exchange.test.support.ts';
import { distinctTexts, matchesQuery } from './instance-query.ts';

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
