import { expect, test } from 'vitest';
import {
  endedFarBeyond,
  endedInTime,
  endedLate,
  endedWhileWaiting,
  mayHaveWaitedForSlot,
  nobodyAskedAtDeadline,
  notAskedTooLate,
  notBeforeDeadline,
  notLateAlike,
  outlasted,
  timedOut,
  triesCounted,
  waitCounted,
} from './deadline.ts';
import { sampleError, sampleExchange, withoutResponse } from '../router/sample.test.support.ts';
import { channelHeld, waitedFiveSeconds } from './together.ts';

const served = sampleExchange();
const late = (durationMs: number) =>
  sampleError(504, 'request_timeout', 'router', { durationMs, startedAt: 1_000 });
const endless = { ...withoutResponse(served), ending: 'timeout' as const, durationMs: 21_000 };

test('a silent engine ends as request_timeout', () => {
  expect(timedOut(late(6_000), 6_000).violations).toEqual([]);
  expect(timedOut(served, 6_000).violations).toHaveLength(1);
  expect(timedOut(endless, 6_000).violations[0]?.actual).toBe('no end after 21000 ms');
  expect(timedOut(withoutResponse(served), 6_000).seen).toBe(0);
});

test('a silent engine that agents give up before the deadline shows nothing of it', () => {
  const givenUp = (durationMs: number) =>
    sampleError(503, 'backend_unavailable', 'backend', { durationMs });
  expect(timedOut(givenUp(4_000), 6_000).seen).toBe(0);
  expect(timedOut(givenUp(6_000), 6_000).violations).toHaveLength(1);
});

test('a provider is asked when agents gave up, and not at the deadline', () => {
  const hit = (at: number) => ({ at, path: '/v1/chat/completions', bodyLength: 10 });
  const timeout = late(6_000);
  expect(nobodyAskedAtDeadline([hit(0)], 6_000, timeout)).toMatchObject({
    seen: 1,
    violations: [],
  });
  expect(nobodyAskedAtDeadline([hit(0), hit(3_000)], 6_000, timeout).violations).toEqual([]);
  expect(nobodyAskedAtDeadline([hit(0), hit(5_980)], 6_000, timeout).violations).toHaveLength(1);
  expect(nobodyAskedAtDeadline([], 6_000, timeout).seen).toBe(0);
});

test('a request_timeout does not come before the deadline', () => {
  expect(notBeforeDeadline(late(6_000), 6_000).violations).toEqual([]);
  expect(notBeforeDeadline(late(5_950), 6_000).violations).toEqual([]);
  expect(notBeforeDeadline(late(5_500), 6_000).violations).toHaveLength(1);
  expect(notBeforeDeadline(served, 6_000).seen).toBe(0);
});

test('a request that no engine was asked for may have waited for a slot', () => {
  const full = sampleError(503, 'no_capacity');
  const hit = (bodyLength: number) => ({ at: 0, path: '/v1/chat/completions', bodyLength });
  expect(mayHaveWaitedForSlot(full, [hit(1), hit(1)], 2)).toBe(true);
  expect(mayHaveWaitedForSlot(full, [hit(1), hit(2)], 2)).toBe(false);
  expect(mayHaveWaitedForSlot(late(6_000), [hit(1)], 2)).toBe(false);
});

test('a deadline does not end a request long after it', () => {
  expect(endedFarBeyond(late(6_100), 6_000)).toBe(false);
  expect(endedFarBeyond(late(10_900), 6_000)).toBe(false);
  expect(endedFarBeyond(late(12_000), 6_000)).toBe(true);
  expect(endedInTime(late(6_100), 6_000)).toMatchObject({ seen: 1, violations: [] });
  expect(endedInTime(late(12_000), 6_000).violations).toHaveLength(1);
  expect(endedInTime(endless, 6_000).violations).toHaveLength(1);
});

test('a deadline that is longer makes each request late by as much', () => {
  expect(endedLate(late(6_800), 6_000)).toBe(false);
  expect(endedLate(late(9_600), 6_000)).toBe(true);
  const alike = [late(9_600), late(9_650), late(9_580)];
  expect(notLateAlike(alike, 6_000).violations).toHaveLength(1);
  expect(notLateAlike([...alike, late(6_050)], 6_000)).toMatchObject({ seen: 1, violations: [] });
  expect(notLateAlike([late(9_600), late(10_400), late(9_000)], 6_000).seen).toBe(0);
});

test('a request outlasts its deadline or was answered before', () => {
  expect(outlasted(late(5_950), 6_000)).toBe(true);
  expect(outlasted(endless, 6_000)).toBe(true);
  expect(outlasted(late(5_300), 6_000)).toBe(false);
});

test('time spent waiting for a processor counts', () => {
  expect(waitCounted(late(6_100), 6_000, 5_000).violations).toEqual([]);
  expect(waitCounted(late(11_000), 6_000, 5_000).violations).toHaveLength(1);
  // Later than it should be, and still before a deadline that began anew.
  expect(waitCounted(late(10_000), 6_000, 5_000).violations).toEqual([]);
  expect(waitCounted(endless, 6_000, 5_000).violations).toHaveLength(1);
  // Later than any deadline: the machine was busy.
  expect(waitCounted(late(12_500), 6_000, 5_000).seen).toBe(0);
});

test('the time at an engine that failed counts against the deadline', () => {
  expect(triesCounted({ exchange: late(6_100), failedMs: 1_800 }, 6_000)).toMatchObject({
    seen: 1,
    violations: [],
  });
  const [begunAnew] = triesCounted({ exchange: late(7_800), failedMs: 1_800 }, 6_000).violations;
  expect(begunAnew?.message).toMatch(/at an engine that failed/u);
  expect(triesCounted({ exchange: late(7_300), failedMs: 1_300 }, 6_000).seen).toBe(0);
});

test('a request that did not wait for long, or ended otherwise, shows nothing of it', () => {
  expect(waitCounted(late(6_100), 6_000, 20).seen).toBe(0);
  expect(waitCounted(late(7_100), 6_000, 1_050).seen).toBe(0);
  expect(waitCounted(served, 6_000, 5_000).seen).toBe(0);
});

test('a request that waits for a processor ends at its deadline', () => {
  expect(endedWhileWaiting(late(6_100), 6_000, 6_100)).toMatchObject({ seen: 1, violations: [] });
  // Late, as on a machine with too much to do.
  expect(endedWhileWaiting(late(10_900), 6_000, 10_900).violations).toEqual([]);
  expect(endedWhileWaiting(late(11_100), 6_000, 11_050).violations).toHaveLength(1);
  expect(
    endedWhileWaiting({ ...served, durationMs: 11_100 }, 6_000, 11_050).violations,
  ).toHaveLength(1);
});

test('a request that had its processor before, or was refused, shows nothing of waiting for one', () => {
  expect(endedWhileWaiting(late(12_000), 6_000, 5_200).seen).toBe(0);
  expect(endedWhileWaiting({ ...served, durationMs: 6_200 }, 6_000, 6_100).seen).toBe(0);
});

test('a queue_full comes when the channel was full for five seconds', () => {
  const full = (durationMs: number) =>
    sampleError(503, 'queue_full', 'router', { startedAt: 1_000, durationMs });
  expect(waitedFiveSeconds([full(5_010)], 900)).toMatchObject({ seen: 1, violations: [] });
  expect(waitedFiveSeconds([full(3_000)], 900).violations).toHaveLength(1);
  expect(waitedFiveSeconds([late(3_000)], 900).seen).toBe(0);
});

test('no engine is asked for a request whose deadline has passed', () => {
  const hit = (at: number, bodyLength = 10) => ({ at, path: '/v1/chat/completions', bodyLength });
  const timeout = sampleError(504, 'request_timeout');
  expect(notAskedTooLate([hit(0), hit(900), hit(1_500, 11)], 1_000, timeout)).toMatchObject({
    seen: 1,
    violations: [],
  });
  expect(notAskedTooLate([hit(0), hit(1_010)], 1_000, timeout).violations).toHaveLength(1);
  expect(notAskedTooLate([], 1_000, timeout).seen).toBe(0);
});

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
