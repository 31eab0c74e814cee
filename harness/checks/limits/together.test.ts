import { expect, it, test } from 'vitest';
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
import { sampleError, sampleExchange } from '../router/sample.test.support.ts';

const served = sampleExchange();
const crowded = sampleError(429, 'concurrency_limit_exceeded');
const noCapacity = sampleError(503, 'no_capacity');

test('requests within a limit all reach the engine', () => {
  expect(allAtOnce([], 3)).toMatchObject({ seen: 3, violations: [] });
  expect(allAtOnce([crowded], 3).violations).toHaveLength(1);
  expect(allAtOnce([noCapacity], 3).seen).toBe(0);
});

test('of requests far beyond a budget some are refused', () => {
  expect(someCrowdedOut([crowded, crowded], 2)).toMatchObject({ seen: 2, violations: [] });
  expect(someCrowdedOut([], 24).violations).toHaveLength(1);
  const limited = sampleError(429, 'rate_limit_exceeded');
  expect(someCrowdedOut([limited], 23).violations).toHaveLength(1);
  expect(someCrowdedOut([noCapacity], 23).seen).toBe(0);
  expect(someCrowdedOut([noCapacity], 23, noCapacity).violations).toHaveLength(1);
  const tooLong = sampleError(400, 'input_too_long');
  expect(someCrowdedOut([tooLong], 23).seen).toBe(0);
  expect(someCrowdedOut([tooLong], 23, tooLong).violations).toHaveLength(1);
  expect(someCrowdedOut([crowded], 0).seen).toBe(0);
});

test.each(['no_capacity', 'concurrency_limit_exceeded'] as const)(
  'an engine sees no more at once than a model takes (%s)',
  (full) => {
    expect(withinPlaces(2, { places: 2, full }, served)).toMatchObject({ seen: 1, violations: [] });
    expect(withinPlaces(3, { places: 2, full }, served).violations).toHaveLength(1);
    expect(withinPlaces(0, { places: 2, full }, served).seen).toBe(0);
  },
);

test('a parked request is served when a place comes free', () => {
  expect(servedWhenFree(served).violations).toEqual([]);
  expect(servedWhenFree(crowded).violations).toHaveLength(1);
  expect(servedWhenFree(noCapacity).seen).toBe(0);
});

test('slots are not full while the engines work on nothing', () => {
  expect(freeWhenIdle(served, 0)).toMatchObject({ seen: 1, violations: [] });
  expect(freeWhenIdle(noCapacity, 0).violations).toHaveLength(1);
  expect(freeWhenIdle(noCapacity, 1).seen).toBe(0);
  expect(freeWhenIdle(crowded, 0).seen).toBe(0);
});

test('places in flight are not taken while the engines work on nothing', () => {
  expect(placesFreeWhenIdle(served, 0)).toMatchObject({ seen: 1, violations: [] });
  expect(placesFreeWhenIdle(crowded, 0).violations).toHaveLength(1);
  expect(placesFreeWhenIdle(crowded, 1).seen).toBe(0);
  expect(placesFreeWhenIdle(noCapacity, 0).seen).toBe(0);
});

test('a processor takes a request while the engines work on nothing', () => {
  const late = sampleError(504, 'request_timeout');
  expect(reachesWhenIdle(served, 0)).toMatchObject({ seen: 1, violations: [] });
  expect(reachesWhenIdle(late, 0).violations).toHaveLength(1);
  expect(reachesWhenIdle(late, 1).seen).toBe(0);
  expect(reachesWhenIdle(noCapacity, 0).seen).toBe(0);
});

test('a model under its shedding threshold is not shed', () => {
  expect(notShed(served)).toMatchObject({ seen: 1, violations: [] });
  expect(notShed(crowded).violations).toHaveLength(1);
  expect(notShed(noCapacity).seen).toBe(0);
});

test('a request is refused for a full limit only after the park time', () => {
  const refusedAfter = (durationMs: number) =>
    sampleError(429, 'concurrency_limit_exceeded', 'router', { durationMs, startedAt: 1_000 });
  const judged = (durationMs: number, fullFrom: number) =>
    refusedOnceParked(refusedAfter(durationMs), { parkMs: 250, fullFrom });
  expect(judged(250, 990)).toEqual({ seen: 1, violations: [] });
  expect(judged(20, 990).violations).toHaveLength(1);
  // The limit, and not the request, may be what must have waited.
  expect(judged(20, 700).seen).toBe(0);
  expect(refusedOnceParked(served, { parkMs: 250, fullFrom: 0 }).seen).toBe(0);
});

const span = (at: number, endedAt: number | null, end: HitSpan['end'] = 'answered'): HitSpan => ({
  at,
  endedAt,
  end: endedAt === null ? 'open' : end,
});

it.each<[string, readonly HitSpan[], number]>([
  ['none', [], 0],
  ['one that goes on', [span(5, null)], 1],
  ['two that go on', [span(5, null), span(6, null)], 2],
  ['one after the other', [span(5, 9), span(9, 12), span(12, null)], 1],
  ['two that cross', [span(5, 9), span(8, 12), span(12, null)], 2],
  ['one that comes while another is being left', [span(5, 2_000, 'left'), span(1_990, null)], 1],
  ['one that comes long before another is left', [span(5, 2_000, 'left'), span(1_000, null)], 2],
  ['one that comes while another is dropped', [span(5, 2_000, 'dropped'), span(1_990, null)], 2],
])('%s', (_name, hits, most) => {
  expect(mostAtOnce(hits)).toBe(most);
});

it('counts nobody who came once what filled the places had ended, though an engine still works on it', () => {
  const filling = [{ ...sampleExchange({ startedAt: 0 }), durationMs: 6_000 }];
  const comesAt = (at: number) => mostBesideAll([span(5, null), span(at, null)], filling);
  expect(comesAt(5_000)).toBe(2);
  expect(comesAt(6_000)).toBe(1);
});

it('counts what fills the places, however soon it was let go', () => {
  const filling = [{ ...sampleExchange({ startedAt: 0 }), durationMs: 20 }];
  expect(mostBesideAll([span(5, 20)], filling)).toBe(1);
});
