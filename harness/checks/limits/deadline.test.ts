import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { answers, sampleError, testAnswers } from '../router/sample.test.support.ts';
import { testVerdicts } from '../verdict.test.support.ts';
import {
  endedAfterHead,
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
  channelHeld,
  channelRefuses,
  letInOnceRoom,
  waitedFiveSeconds,
} from './pending-channel.ts';
import {
  allAtOnce,
  freeWhenIdle,
  type HitSpan,
  mostAtOnce,
  mostBesideAll,
  notOverdue,
  notShed,
  placesFreeWhenIdle,
  reachesWhenIdle,
  refusedOnceParked,
  servedWhenFree,
  someRefused,
  withinPlaces,
} from './together.ts';

const MS = 6_000;
const { served, lost, crowded, limited, noCapacity, tooLong } = answers;
const late = (durationMs: number) =>
  sampleError(504, 'request_timeout', 'router', { durationMs, startedAt: 1_000 });
const full = (durationMs: number) =>
  sampleError(503, 'queue_full', 'router', { durationMs, startedAt: 1_000 });
const endless = { ...lost, ending: 'timeout' as const, durationMs: 21_000 };
const givenUp = (durationMs: number) =>
  sampleError(503, 'backend_unavailable', 'backend', { durationMs });
const hit = (at: number, bodyLength = 10) => ({ at, path: '/v1/chat/completions', bodyLength });
const alike = [late(9_600), late(9_650), late(9_580)];
const answeredAfter = (durationMs: number) => ({ ...served, durationMs });
const counted = (exchange: Exchange, ms = 5_000) => timeCounted(exchange, MS, { ms, of: 'waited' });
const asked = (...hits: readonly ReturnType<typeof hit>[]) =>
  nobodyAskedAtDeadline(hits, MS, late(6_000));
const kept = (exchange: Exchange) => endedAfterHead({ first: [exchange], repeated: [] }, MS);
const waited = (exchange: Exchange, ms: number) => endedWhileWaiting(exchange, MS, ms);
const channel = (count: number, size = 16) =>
  channelHeld(
    Array.from({ length: count }, () => full(5_000)),
    { most: 18, size },
  );

testVerdicts([
  ['a silent engine', 'held', timedOut(late(6_000), MS)],
  ['an engine that answers', 'broken', timedOut(served, MS), timedOut(givenUp(6_000), MS)],
  ['an engine without end', 'broken', timedOut(endless, MS)],
  ['no response, or one too soon', 'unseen', timedOut(lost, MS), timedOut(givenUp(4_000), MS)],
  ['kept until the deadline', 'held', kept(late(6_000))],
  ['a full channel reported at the deadline', 'broken', kept(full(6_000))],
  ['refused before an engine was asked', 'unseen', kept(full(5_000))],
  ['a provider asked when agents gave up', 'held', asked(hit(0)), asked(hit(0), hit(3_000))],
  ['a provider asked at the deadline', 'broken', asked(hit(0), hit(5_980))],
  ['nobody asked', 'unseen', asked()],
  ['a request_timeout at the deadline', 'held', notBeforeDeadline(late(6_000), MS)],
  ['a request_timeout about then', 'held', notBeforeDeadline(late(5_950), MS)],
  ['a request_timeout before it', 'broken', notBeforeDeadline(late(5_500), MS)],
  ['another end before it', 'unseen', notBeforeDeadline(served, MS)],
  ['an end in time', 'held', endedInTime(late(6_100), MS)],
  ['an end far beyond', 'broken', endedInTime(late(12_000), MS), endedInTime(endless, MS)],
  ['each late by as much', 'broken', notLateAlike(alike, MS)],
  ['one in time', 'held', notLateAlike([...alike, late(6_050)], MS)],
  ['late by other times', 'unseen', notLateAlike([late(9_600), late(10_400), late(9_000)], MS)],
  ['time spent waiting counts', 'held', counted(late(6_100))],
  ['an end before a deadline that began anew', 'held', counted(late(10_000))],
  ['time spent waiting does not count', 'broken', counted(late(11_000)), counted(endless)],
  ['a busy machine', 'unseen', counted(late(12_500))],
  ['a short wait', 'unseen', counted(late(6_100), 20), counted(late(7_100), 1_050)],
  ['another end', 'unseen', counted(served)],
  ['a request that waits for a processor ends', 'held', waited(late(6_100), 6_100)],
  ['it ends late', 'held', waited(late(10_900), 10_900)],
  ['it waits on', 'broken', waited(late(11_100), 11_050), waited(answeredAfter(11_100), 11_050)],
  ['it had its processor before', 'unseen', waited(late(12_000), 5_200)],
  ['it was served in time', 'unseen', waited(answeredAfter(6_200), 6_100)],
  ['engines in time', 'held', notAskedTooLate([hit(0), hit(900), hit(1_500, 11)], 1_000, late(1))],
  ['an engine too late', 'broken', notAskedTooLate([hit(0), hit(1_010)], 1_000, late(1))],
  ['no engine', 'unseen', notAskedTooLate([], 1_000, late(1))],
  ['queue_full after five seconds', 'held', waitedFiveSeconds([full(5_010)], 900)],
  ['queue_full before', 'broken', waitedFiveSeconds([full(3_000)], 900)],
  ['another end than queue_full', 'unseen', waitedFiveSeconds([late(3_000)], 900)],
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
  ['a refusal beyond its size', 'held', channelRefuses([late(6_000), full(5_000)])],
  ['none beyond its size', 'broken', channelRefuses([late(6_000), served])],
]);

/** The end of a request, and the response to another one that was sent after `at`. */
const overdue = (end: Exchange, at?: number, tookMs = 20) =>
  notOverdue(
    end,
    at === undefined ? undefined : { ...served, startedAt: 1_000 + at, durationMs: tookMs },
    { code: 'queue_full', dueMs: 5_000 },
  );
testVerdicts([
  ['a refusal soon after it was due', 'held', overdue(full(6_550), 6_500)],
  ['one long after', 'broken', overdue(full(7_000), 6_500)],
  ['one beside nothing', 'unseen', overdue(full(7_000))],
  ['one beside an older answer', 'unseen', overdue(full(7_000), 5_500)],
  ['one beside a slow answer', 'unseen', overdue(full(7_000), 6_500, 400)],
  ['another end', 'unseen', overdue(late(7_000), -1_000, 1)],
]);

test('a request that no engine was asked for may have waited for a slot', () => {
  expect(mayHaveWaitedForSlot(noCapacity, [hit(0), hit(0)], 2)).toBe(true);
  expect(mayHaveWaitedForSlot(noCapacity, [hit(0), hit(0, 11)], 2)).toBe(false);
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
  const slots = { capacity: 2, full: 'no_capacity' } as const;
  const inflight = { capacity: 2, full: 'concurrency_limit_exceeded' } as const;
  const parked = (durationMs: number, fullFrom: number, end: Exchange = crowded) =>
    refusedOnceParked({ ...end, durationMs, startedAt: 1_000 }, { parkMs: 250, fullFrom });

  testAnswers([
    ['of three within a limit one', (one) => allAtOnce([one], 3), '| crowded | noCapacity'],
    ['a parked request', servedWhenFree, 'served | crowded | noCapacity'],
    ['a model under its threshold', notShed, 'served | crowded | noCapacity'],
    ['a slot when nothing runs', (one) => freeWhenIdle(one, 0), 'served | noCapacity | crowded'],
    ['a slot when one runs', (one) => freeWhenIdle(one, 1), '|| noCapacity'],
    [
      'a place when nothing runs',
      (one) => placesFreeWhenIdle(one, 0),
      'served | crowded | noCapacity',
    ],
    ['a place when one runs', (one) => placesFreeWhenIdle(one, 1), '|| crowded'],
    [
      'an engine when nothing runs',
      (one) => reachesWhenIdle(one, 0),
      'served | timeout | noCapacity',
    ],
    ['an engine when one runs', (one) => reachesWhenIdle(one, 1), '|| timeout'],
  ]);

  testVerdicts([
    ['all of three within a limit', 'held', allAtOnce([], 3)],
    ['of many beyond a budget some are refused', 'held', someRefused([crowded, crowded], 2)],
    ['none is', 'broken', someRefused([], 24)],
    ['one is for its rate', 'broken', someRefused([limited], 23)],
    ['one is as alone', 'broken', someRefused([noCapacity], 23, noCapacity)],
    ['one is as alone', 'broken', someRefused([tooLong], 23, tooLong)],
    ['one may be for something else', 'unseen', someRefused([noCapacity], 23)],
    ['one may be for something else', 'unseen', someRefused([tooLong], 23)],
    ['all were', 'unseen', someRefused([crowded], 0)],
    ['as many as slots', 'held', withinPlaces(2, slots, served)],
    ['as many as places', 'held', withinPlaces(2, inflight, served)],
    ['more than slots', 'broken', withinPlaces(3, slots, served)],
    ['more than places', 'broken', withinPlaces(3, inflight, served)],
    ['nobody', 'unseen', withinPlaces(0, slots, served)],
    ['a refusal after the park time', 'held', parked(250, 990)],
    ['a refusal before', 'broken', parked(20, 990)],
    // It may be the limit, and not the request, that must have waited.
    ['the limit was full for as long', 'unseen', parked(20, 700)],
    ['no refusal', 'unseen', parked(1, 0, served)],
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
    ['what came beside what fills the places', 6_000, [span(5, null), span(5_000, null)], 2],
    // An engine works on.
    ['nobody once that had ended', 6_000, [span(5, null), span(6_000, null)], 1],
    ['what fills the places, however soon it was let go', 20, [span(5, 20)], 1],
  ])('counts %s', (_name, endsAt, hits, most) => {
    expect(mostBesideAll(hits, 1, endsAt)).toBe(most);
  });
});
