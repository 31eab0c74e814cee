import { expect, test } from 'vitest';
import { requirePace, whyNotTogether } from './pace.ts';

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

test('what fills faster than a run may send is not exercised, with the line that helps', () => {
  const asked = (perSecond: number) => () =>
    requirePace({ target: { budget } }, perSecond, 'a bucket');
  expect(asked(5)).not.toThrow();
  expect(asked(5.1)).toThrow(expect.objectContaining({ line: 'budget: { requestsPerSecond: 6 }' }));
});
