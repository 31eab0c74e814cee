import { expect, test } from 'vitest';
import { whyNoFullChannel } from './saturation.ts';

const budget = { requests: 20_000, minutes: 20, concurrency: 8, requestsPerSecond: 50 } as const;

function why(limits: { queueSize?: number; requestTimeoutMs?: number }) {
  return whyNoFullChannel({ limits, budget });
}

test('a channel is filled where its being full can be seen', () => {
  expect(why({ queueSize: 100, requestTimeoutMs: 8_000 })).toBeUndefined();
  expect(why({ queueSize: 10_000 })).toBeUndefined();
});

test('nothing is sent to fill a channel that cannot be seen full', () => {
  expect(why({})?.line).toContain('queueSize');
  expect(why({ queueSize: 10_000, requestTimeoutMs: 4_000 })?.reason).toContain('deadline');
});

test('a channel that would take the requests of the whole run is left alone', () => {
  expect(why({ queueSize: 10_001 })?.line).toBe('budget: { requests: 20002 }');
});
