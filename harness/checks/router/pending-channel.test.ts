import { expect, test } from 'vitest';
import { channelHeld, waitedFiveSeconds } from './pending-channel.ts';
import { sampleError, sampleExchange } from './sample-exchange.ts';

const full = sampleError(503, 'queue_full');
const many = (count: number) => Array.from({ length: count }, () => full);

test('a channel holds about as many requests as its size says', () => {
  expect(channelHeld(many(18), { most: 18, size: 16 })).toMatchObject({ seen: 1, violations: [] });
  expect(channelHeld(many(22), { most: 18, size: 16 }).violations).toEqual([]);
  expect(channelHeld(many(26), { most: 18, size: 16 }).violations).toHaveLength(1);
  expect(channelHeld(many(19), { most: 18, size: 1 }).violations).toEqual([]);
});

test('a router that refuses nothing for its channel shows nothing of its size', () => {
  expect(channelHeld([sampleExchange()], { most: 18, size: 16 }).seen).toBe(0);
});

test('a full channel refuses after five seconds', () => {
  const after = (ms: number) =>
    waitedFiveSeconds([{ ...full, startedAt: 1_000, durationMs: ms - 1_000 }], 0);
  expect(after(5_000).violations).toEqual([]);
  expect(after(2_000).violations).toHaveLength(1);
});
