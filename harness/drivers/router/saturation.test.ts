import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import { filledTooLateByMs, foundRoom, whyNoFullChannel } from './saturation.ts';

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
  const short = why({ queueSize: 10_000, requestTimeoutMs: 4_000 });
  expect(short?.reason).toContain('5500 ms at least');
  expect(short?.line).toContain('requestTimeoutMs');
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

const DEADLINE_MS = 7_000;

/** A request that ended at its deadline. */
function ended(startedAt: number, durationMs: number) {
  return { ...late, startedAt, durationMs };
}

test('a request that was refused, or met its deadline as all did, found none', () => {
  const inTime = { further: ended(300, 7_020), refused: [ended(0, 7_020)] };
  expect(foundRoom({ further: refusal, refused: [refusal] })).toBe(false);
  expect(foundRoom(inTime, DEADLINE_MS)).toBe(false);
  expect(foundRoom({ further: undefined, refused: [] })).toBe(false);
});

test('a request that met its deadline after what filled the router had made room for it found room', () => {
  const room = (further: typeof late, filler: typeof late) =>
    foundRoom({ further, refused: [filler] }, DEADLINE_MS);
  expect(room(ended(2_100, 7_020), ended(0, 7_020))).toBe(true);
  // In time by its own clock, and too late by that of a router which is half a second behind.
  expect(room(ended(1_100, 7_500), ended(0, 7_500))).toBe(true);
});

test('a router that was filled so slowly that what filled it could leave before the five seconds was filled too late', () => {
  const filled = (startedAt: number) => ({ filledFrom: 1_000, further: ended(startedAt, 5_000) });
  expect(filledTooLateByMs(filled(2_750), DEADLINE_MS)).toBe(0);
  expect(filledTooLateByMs(filled(2_800), DEADLINE_MS)).toBe(50);
  expect(filledTooLateByMs(filled(2_800))).toBe(0);
  expect(filledTooLateByMs({ filledFrom: 0, further: undefined }, DEADLINE_MS)).toBe(0);
});
