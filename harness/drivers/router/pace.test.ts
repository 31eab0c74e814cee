import { expect, test } from 'vitest';
import { tooSlow, whyNotTogether } from './pace.ts';

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
  const fast = { budget: { ...budget, requestsPerSecond: Infinity } };
  expect(whyNotTogether({ ...fast, limits: { requestTimeoutMs: 1_100 } }, 900)).toBeUndefined();
});

const target = {
  budget,
  keys: {
    requestsPerMinute: { key: 'k', limit: 204 },
    serverless: { key: 's', model: 'm', inputTokensPerMinute: 40_000, occupancyShare: 4_000 },
  },
  limits: { maxConcurrent: 26, requestTimeoutMs: 6_000 },
};

test.each([
  ['a bucket that fills faster than a run may empty it', 'keys.requestsPerMinute', 6],
  ['processors that are kept busy together', 'consent.saturate', 6],
  ['an input rate that is used up in time', 'keys.serverless.inputTokensPerMinute', undefined],
  ['an output rate that is seen in time', 'keys.serverless.outputTokensPerMinute', undefined],
  ['what no pace is too slow for', 'models.chat', undefined],
])('%s: the line that helps', (_, need, perSecond) => {
  const lines = tooSlow(target, ['backend', need]).map(({ line }) => line);
  const line = `budget: { requestsPerSecond: ${perSecond} }`;
  expect(lines).toEqual(perSecond === undefined ? [] : [line]);
});
