import { describe, expect, test } from 'vitest';
import { sampleError, sampleExchange, withoutResponse } from '../router/sample.test.support.ts';
import { testVerdicts } from '../verdict.test.support.ts';
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
  allAtOnce,
  channelHeld,
  freeWhenIdle,
  type HitSpan,
  mostAtOnce,
  mostBesideAll,
  notShed,
  placesFreeWhenIdle,
  reachesWhenIdle,
  refusedOnceParked,
  servedWhenFree,
  someRefused,
  notOverdue,
  letInOnceRoom,
  waitedFiveSeconds,
  withinPlaces,
} from './together.ts';

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
  ['the deadline after there was room', 'held', letInOnceRoom(late(8_000), 3_500)],
  ['queue_full although there was room', 'broken', letInOnceRoom(full(5_000), 3_500)],
  [
    'queue_full as room comes, and a request after it',
    'unseen',
    letInOnceRoom(full(3_000), 3_500),
    letInOnceRoom(full(5_000), 900),
  ],
  ['about as many as its size', 'held', channel(18), channel(22), channel(19, 1)],
  ['far fewer', 'broken', channel(26)],
  ['none refused', 'unseen', channel(0)],
]);

/** A `queue_full` after so many milliseconds, and the response to another request that was sent after `at`. */
const overdue = (endMs: number, at?: number, tookMs = 20) =>
  notOverdue(
    full(endMs),
    at === undefined ? undefined : { ...served, startedAt: 1_000 + at, durationMs: tookMs },
    { code: 'queue_full', dueMs: 5_000 },
  );
testVerdicts([
  ['a refusal soon after it was due', 'held', overdue(6_550, 6_500)],
  ['one long after', 'broken', overdue(7_000, 6_500)],
  [
    'one beside which nothing tells that the router had time',
    'unseen',
    overdue(7_000),
    overdue(7_000, 5_500),
    overdue(7_000, 6_500, 400),
    notOverdue(late(7_000), served, { code: 'queue_full', dueMs: 5_000 }),
  ],
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

describe('requests at once', () => {
  const crowded = sampleError(429, 'concurrency_limit_exceeded');
  const noCapacity = sampleError(503, 'no_capacity');
  const timeout = sampleError(504, 'request_timeout');
  const tooLong = sampleError(400, 'input_too_long');
  const limited = sampleError(429, 'rate_limit_exceeded');
  const slots = { capacity: 2, full: 'no_capacity' } as const;
  const inflight = { capacity: 2, full: 'concurrency_limit_exceeded' } as const;
  const parked = (durationMs: number, fullFrom: number) =>
    refusedOnceParked({ ...crowded, durationMs, startedAt: 1_000 }, { parkMs: 250, fullFrom });

  testVerdicts([
    ['requests within a limit', 'held', allAtOnce([], 3)],
    ['requests within a limit', 'broken', allAtOnce([crowded], 3)],
    ['requests within a limit', 'unseen', allAtOnce([noCapacity], 3)],
    ['of many beyond a budget some are refused', 'held', someRefused([crowded, crowded], 2)],
    [
      'none is, or by another code',
      'broken',
      someRefused([], 24),
      someRefused([limited], 23),
      someRefused([noCapacity], 23, noCapacity),
      someRefused([tooLong], 23, tooLong),
    ],
    [
      'it may be for something else',
      'unseen',
      someRefused([noCapacity], 23),
      someRefused([tooLong], 23),
      someRefused([crowded], 0),
    ],
    [
      'no more than places',
      'held',
      ...[slots, inflight].map((one) => withinPlaces(2, one, served)),
    ],
    ['more', 'broken', ...[slots, inflight].map((one) => withinPlaces(3, one, served))],
    ['nobody', 'unseen', withinPlaces(0, slots, served)],
    ['a parked request is served', 'held', servedWhenFree(served)],
    ['a parked request is refused', 'broken', servedWhenFree(crowded)],
    ['a parked request ends otherwise', 'unseen', servedWhenFree(noCapacity)],
    [
      'what is free while the engines work on nothing',
      'held',
      ...[freeWhenIdle, placesFreeWhenIdle, reachesWhenIdle].map((check) => check(served, 0)),
    ],
    [
      'what is not',
      'broken',
      freeWhenIdle(noCapacity, 0),
      placesFreeWhenIdle(crowded, 0),
      reachesWhenIdle(timeout, 0),
    ],
    [
      'engines that work, and other ends',
      'unseen',
      freeWhenIdle(noCapacity, 1),
      freeWhenIdle(crowded, 0),
      placesFreeWhenIdle(crowded, 1),
      placesFreeWhenIdle(noCapacity, 0),
      reachesWhenIdle(timeout, 1),
      reachesWhenIdle(noCapacity, 0),
    ],
    ['a model under its threshold', 'held', notShed(served)],
    ['a model under its threshold', 'broken', notShed(crowded)],
    ['a model under its threshold', 'unseen', notShed(noCapacity)],
    ['a refusal after the park time', 'held', parked(250, 990)],
    ['a refusal before', 'broken', parked(20, 990)],
    // It may be the limit, and not the request, that must have waited.
    [
      'the limit was full for as long',
      'unseen',
      parked(20, 700),
      refusedOnceParked(served, { parkMs: 250, fullFrom: 0 }),
    ],
  ]);

  const span = (at: number, endedAt: number | null, end: HitSpan['end'] = 'answered'): HitSpan => ({
    at,
    endedAt,
    end: endedAt === null ? 'open' : end,
  });

  test.each<[string, readonly HitSpan[], number]>([
    ['none', [], 0],
    ['two that go on', [span(5, null), span(6, null)], 2],
    ['one after the other', [span(5, 9), span(9, 12), span(12, null)], 1],
    ['two that cross', [span(5, 9), span(8, 12), span(12, null)], 2],
    ['one that comes while another is being left', [span(5, 2_000, 'left'), span(1_990, null)], 1],
    ['one that comes long before another is left', [span(5, 2_000, 'left'), span(1_000, null)], 2],
    ['one that comes while another is dropped', [span(5, 2_000, 'dropped'), span(1_990, null)], 2],
  ])('the most at once: %s', (_name, hits, most) => {
    expect(mostAtOnce(hits)).toBe(most);
  });

  test.each([
    [
      'requests that came beside what fills the places',
      6_000,
      [span(5, null), span(5_000, null)],
      2,
    ],
    [
      'nobody once that had ended, though an engine works on',
      6_000,
      [span(5, null), span(6_000, null)],
      1,
    ],
    ['what fills the places, however soon it was let go', 20, [span(5, 20)], 1],
  ])('counts %s', (_name, endsAt, hits, most) => {
    expect(mostBesideAll(hits, 1, endsAt)).toBe(most);
  });
});
