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
  timeCounted,
  timedOut,
} from './deadline.ts';
import {
  sampleError,
  sampleExchange,
  testVerdicts,
  withoutResponse,
} from '../router/sample.test.support.ts';
import { channelHeld, waitedFiveSeconds } from './together.ts';

const MS = 6_000;
const served = sampleExchange();
const late = (durationMs: number) =>
  sampleError(504, 'request_timeout', 'router', { durationMs, startedAt: 1_000 });
const full = (durationMs: number) =>
  sampleError(503, 'queue_full', 'router', { durationMs, startedAt: 1_000 });
const endless = { ...withoutResponse(served), ending: 'timeout' as const, durationMs: 21_000 };
const givenUp = (durationMs: number) =>
  sampleError(503, 'backend_unavailable', 'backend', { durationMs });
const hit = (at: number, bodyLength = 10) => ({ at, path: '/v1/chat/completions', bodyLength });
const alike = [late(9_600), late(9_650), late(9_580)];
const answeredAfter = (durationMs: number) => ({ ...served, durationMs });
const counted = (exchange: typeof served, ms: number) =>
  timeCounted(exchange, MS, { ms, of: 'waited' });
const channel = (count: number, size = 16) =>
  channelHeld(
    Array.from({ length: count }, () => full(5_000)),
    { most: 18, size },
  );

testVerdicts([
  ['a silent engine', 'held', timedOut(late(6_000), MS)],
  [
    'a silent engine',
    'broken',
    ...[served, endless, givenUp(6_000)].map((one) => timedOut(one, MS)),
  ],
  [
    'a silent engine',
    'unseen',
    timedOut(withoutResponse(served), MS),
    timedOut(givenUp(4_000), MS),
  ],
  [
    'a provider is asked when agents gave up, and not at the deadline',
    'held',
    nobodyAskedAtDeadline([hit(0)], MS, late(6_000)),
    nobodyAskedAtDeadline([hit(0), hit(3_000)], MS, late(6_000)),
  ],
  ['asked at it', 'broken', nobodyAskedAtDeadline([hit(0), hit(5_980)], MS, late(6_000))],
  ['nobody was asked', 'unseen', nobodyAskedAtDeadline([], MS, late(6_000))],
  [
    'a request_timeout at the deadline',
    'held',
    notBeforeDeadline(late(6_000), MS),
    notBeforeDeadline(late(5_950), MS),
  ],
  ['a request_timeout before it', 'broken', notBeforeDeadline(late(5_500), MS)],
  ['another end before it', 'unseen', notBeforeDeadline(served, MS)],
  ['an end in time', 'held', endedInTime(late(6_100), MS)],
  ['an end far beyond', 'broken', endedInTime(late(12_000), MS), endedInTime(endless, MS)],
  ['each late by as much', 'broken', notLateAlike(alike, MS)],
  ['one in time', 'held', notLateAlike([...alike, late(6_050)], MS)],
  ['late by other times', 'unseen', notLateAlike([late(9_600), late(10_400), late(9_000)], MS)],
  [
    'time spent waiting counts, or the end is before a deadline that began anew',
    'held',
    counted(late(6_100), 5_000),
    counted(late(10_000), 5_000),
  ],
  ['it does not', 'broken', counted(late(11_000), 5_000), counted(endless, 5_000)],
  [
    'a busy machine, a short wait, another end',
    'unseen',
    counted(late(12_500), 5_000),
    counted(late(6_100), 20),
    counted(late(7_100), 1_050),
    counted(served, 5_000),
  ],
  [
    'a request that waits for a processor ends at its deadline, be it late',
    'held',
    endedWhileWaiting(late(6_100), MS, 6_100),
    endedWhileWaiting(late(10_900), MS, 10_900),
  ],
  [
    'it waits on',
    'broken',
    endedWhileWaiting(late(11_100), MS, 11_050),
    endedWhileWaiting(answeredAfter(11_100), MS, 11_050),
  ],
  [
    'it had its processor before, or was refused',
    'unseen',
    endedWhileWaiting(late(12_000), MS, 5_200),
    endedWhileWaiting(answeredAfter(6_200), MS, 6_100),
  ],
  ['engines in time', 'held', notAskedTooLate([hit(0), hit(900), hit(1_500, 11)], 1_000, late(1))],
  ['an engine too late', 'broken', notAskedTooLate([hit(0), hit(1_010)], 1_000, late(1))],
  ['no engine', 'unseen', notAskedTooLate([], 1_000, late(1))],
  ['queue_full after five seconds', 'held', waitedFiveSeconds([full(5_010)], 900)],
  ['queue_full before', 'broken', waitedFiveSeconds([full(3_000)], 900)],
  ['another end', 'unseen', waitedFiveSeconds([late(3_000)], 900)],
  ['about as many as its size', 'held', channel(18), channel(22), channel(19, 1)],
  ['far fewer', 'broken', channel(26)],
  ['none refused', 'unseen', channel(0)],
]);

test('a request that no engine was asked for may have waited for a slot', () => {
  const refused = sampleError(503, 'no_capacity');
  expect(mayHaveWaitedForSlot(refused, [hit(0), hit(0)], 2)).toBe(true);
  expect(mayHaveWaitedForSlot(refused, [hit(0), hit(0, 11)], 2)).toBe(false);
  expect(mayHaveWaitedForSlot(late(6_000), [hit(0)], 2)).toBe(false);
});

test.each([
  [endedFarBeyond, 10_900, 12_000],
  [endedLate, 6_800, 9_600],
  [outlasted, 5_300, 5_950],
])('%o begins between %i and %i ms', (isSo, before, after) => {
  expect([isSo(late(before), MS), isSo(late(after), MS)]).toEqual([false, true]);
});
