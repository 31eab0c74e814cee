import { expect, test } from 'vitest';
import { settlingTimeMs } from './settling-time.ts';

test.each([
  [20, 300_000],
  [60, 300_000],
  [4, 60_000],
  [0.4, 6_000],
])('of a budget of %f minutes a change may take %i ms', (minutes, expected) => {
  const budget = { requests: 1, minutes, concurrency: 1, requestsPerSecond: 50 };
  expect(settlingTimeMs({ budget })).toBeCloseTo(expected);
});
