import { expect, test } from 'vitest';
import { whyNotTogether } from './hold.ts';

const budget = { requests: 900, minutes: 9, concurrency: 8, requestsPerSecond: 5 };

test.each([
  ['what leaves long before the deadline', 25, 6_000, undefined],
  ['what leaves too short before it', 26, 6_000, 'budget: { requestsPerSecond: 6 }'],
  ['what leaves after it', 60, 6_000, 'budget: { requestsPerSecond: 12 }'],
  ['anything, without a deadline', 900, undefined, undefined],
])('at a slow pace, %s', (_, count, requestTimeoutMs, line) => {
  const limits = requestTimeoutMs === undefined ? {} : { requestTimeoutMs };
  expect(whyNotTogether({ budget, limits }, count)?.line).toBe(line);
});

test('without a pace, anything can be under way together', () => {
  const fast = { ...budget, requestsPerSecond: Infinity };
  expect(
    whyNotTogether({ budget: fast, limits: { requestTimeoutMs: 1_100 } }, 900),
  ).toBeUndefined();
});
