import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import { foundRoom, whyNoFullChannel } from './saturation.ts';

const budget = { requests: 20_000, minutes: 20, concurrency: 8, requestsPerSecond: 50 } as const;

test.each([
  [{ queueSize: 100, requestTimeoutMs: 8_000 }, undefined],
  [{ queueSize: 10_000 }, undefined],
  [{}, 'queueSize'],
  [{ queueSize: 100, requestTimeoutMs: 4_000 }, 'requestTimeoutMs'],
  [{ queueSize: 10_001 }, 'requests: 20002'],
  [{ queueSize: 100, maxConcurrent: 99, requestTimeoutMs: 6_000 }, 'requestsPerSecond: 200'],
])('why no full channel is seen with %j', (limits, line) => {
  expect(whyNoFullChannel({ limits, budget })?.line ?? '').toContain(line ?? '');
  expect(whyNoFullChannel({ limits, budget }) === undefined).toBe(line === undefined);
});

const DEADLINE_MS = 7_000;
const refusal = sampleError(503, 'queue_full');
const ended = (startedAt: number, durationMs: number) =>
  sampleError(504, 'request_timeout', 'router', { startedAt, durationMs });

test.each([
  ['was served', sampleExchange(), [], true],
  ['met its deadline where others were refused', ended(0, 7_020), [ended(0, 7_020), refusal], true],
  ['was refused', refusal, [refusal], false],
  ['met its deadline as all did', ended(300, 7_020), [ended(0, 7_020)], false],
  ['was none', undefined, [], false],
  ['met its deadline when what filled had made room', ended(2_100, 7_020), [ended(0, 7_020)], true],
  // In time by its own clock, and too late by that of a router which is half a second behind.
  ['was as late as its router', ended(1_100, 7_500), [ended(0, 7_500)], true],
])('whether a request that %s found room', (_, further, refused, expected) => {
  expect(foundRoom({ further, refused }, DEADLINE_MS)).toBe(expected);
});
