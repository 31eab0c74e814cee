import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample-exchange.ts';
import { foundRoom, whyNoFullChannel } from './saturation.ts';

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

const served = sampleExchange({ status: 200 });
const late = sampleError(504, 'request_timeout');
const refusal = sampleError(503, 'queue_full');

test('a request that was served, or met its deadline where others were refused, found room', () => {
  expect(foundRoom({ further: served, refused: [] })).toBe(true);
  expect(foundRoom({ further: late, refused: [late, refusal] })).toBe(true);
});

test('a request that was refused, or met its deadline as all did, found none', () => {
  expect(foundRoom({ further: refusal, refused: [refusal] })).toBe(false);
  expect(foundRoom({ further: late, refused: [late] })).toBe(false);
  expect(foundRoom({ further: undefined, refused: [] })).toBe(false);
});
