import { expect, it } from 'vitest';
import {
  allAtOnce,
  freeWhenIdle,
  type HitSpan,
  mostAtOnce,
  mostBesideAll,
  notShed,
  placesFreeWhenIdle,
  reachesWhenIdle,
  refusedOnceParked,
  servedWhenFree,
  someCrowdedOut,
  withinPlaces,
} from './together.ts';
import { sampleError, sampleExchange, testVerdicts } from '../router/sample.test.support.ts';

const served = sampleExchange();
const crowded = sampleError(429, 'concurrency_limit_exceeded');
const noCapacity = sampleError(503, 'no_capacity');
const late = sampleError(504, 'request_timeout');
const tooLong = sampleError(400, 'input_too_long');
const limited = sampleError(429, 'rate_limit_exceeded');
const slots = { places: 2, full: 'no_capacity' } as const;
const inflight = { places: 2, full: 'concurrency_limit_exceeded' } as const;
const parked = (durationMs: number, fullFrom: number) =>
  refusedOnceParked({ ...crowded, durationMs, startedAt: 1_000 }, { parkMs: 250, fullFrom });

testVerdicts([
  ['requests within a limit', 'held', allAtOnce([], 3)],
  ['requests within a limit', 'broken', allAtOnce([crowded], 3)],
  ['requests within a limit', 'unseen', allAtOnce([noCapacity], 3)],
  ['of many beyond a budget some are refused', 'held', someCrowdedOut([crowded, crowded], 2)],
  [
    'none is, or by another code',
    'broken',
    someCrowdedOut([], 24),
    someCrowdedOut([limited], 23),
    someCrowdedOut([noCapacity], 23, noCapacity),
    someCrowdedOut([tooLong], 23, tooLong),
  ],
  [
    'it may be for something else',
    'unseen',
    someCrowdedOut([noCapacity], 23),
    someCrowdedOut([tooLong], 23),
    someCrowdedOut([crowded], 0),
  ],
  ['no more than places', 'held', ...[slots, inflight].map((one) => withinPlaces(2, one, served))],
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
    reachesWhenIdle(late, 0),
  ],
  [
    'engines that work, and other ends',
    'unseen',
    freeWhenIdle(noCapacity, 1),
    freeWhenIdle(crowded, 0),
    placesFreeWhenIdle(crowded, 1),
    placesFreeWhenIdle(noCapacity, 0),
    reachesWhenIdle(late, 1),
    reachesWhenIdle(noCapacity, 0),
  ],
  ['a model under its threshold', 'held', notShed(served)],
  ['a model under its threshold', 'broken', notShed(crowded)],
  ['a model under its threshold', 'unseen', notShed(noCapacity)],
  ['a refusal after the park time', 'held', parked(250, 990)],
  ['a refusal before', 'broken', parked(20, 990)],
  // The limit, and not the request, may be what must have waited.
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

it.each<[string, readonly HitSpan[], number]>([
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

it.each([
  ['who came beside what fills the places', 6_000, [span(5, null), span(5_000, null)], 2],
  [
    'nobody once that had ended, though an engine works on',
    6_000,
    [span(5, null), span(6_000, null)],
    1,
  ],
  ['what fills the places, however soon it was let go', 20, [span(5, 20)], 1],
])('counts %s', (_name, durationMs, hits, most) => {
  expect(mostBesideAll(hits, [{ ...sampleExchange({ startedAt: 0 }), durationMs }])).toBe(most);
});
