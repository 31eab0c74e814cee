import { expect, test } from 'vitest';
import {
  becameLimited,
  FILLING_MS,
  fillsAtItsRate,
  isNotUndeclared,
  leastFilled,
  mostRefilled,
  notLimited,
  passedGradually,
  passesAgain,
  saysNoRequestsRemain,
} from './bucket.ts';
import { sampleError, sampleExchange, withoutResponse } from '../router/sample.test.support.ts';

const FOUR = { perMinute: 120, replicas: 4 };
const served = sampleExchange();
const refused = sampleError(429, 'rate_limit_exceeded');
const telling = (left: string) =>
  sampleError(429, 'rate_limit_exceeded', 'router', {
    headers: [
      ['Content-Type', 'application/json'],
      ['X-RateLimit-Remaining-Requests', left],
    ],
  });

test('a key that asks for far more than its quota is refused', () => {
  expect(becameLimited(refused, 10)).toMatchObject({ seen: 1, violations: [] });
  expect(becameLimited(served, 380).violations[0]?.actual).toContain('380 requests');
  expect(becameLimited(withoutResponse(served), 380).seen).toBe(0);
});

test('the refusal says that nothing remains', () => {
  expect(saysNoRequestsRemain(telling('0')).violations).toEqual([]);
  expect(saysNoRequestsRemain(telling('1')).violations).toHaveLength(1);
  expect(saysNoRequestsRemain(refused).violations[0]?.actual).toBe('no such header');
  expect(saysNoRequestsRemain(served).seen).toBe(0);
});

test('a request passes after the time that one takes', () => {
  expect(passesAgain(served, 600, 120).violations).toEqual([]);
  expect(passesAgain(refused, 600, 120).violations[0]?.expected).toContain('500 ms');
  expect(passesAgain(withoutResponse(served), 600, 120).seen).toBe(0);
});

test('no more requests pass than a few replicas fill in', () => {
  expect(mostRefilled(1_000, FOUR)).toBe(20);
  expect(passedGradually(refused, 20, 1_000, FOUR).violations).toEqual([]);
  expect(passedGradually(refused, 21, 1_000, FOUR).violations).toHaveLength(1);
});

test('where a whole minute is no more than what may fill in, nothing is seen', () => {
  expect(passedGradually(refused, 12, 5_000, { ...FOUR, perMinute: 4 }).seen).toBe(0);
});

test('another key is not refused for the rate', () => {
  expect(notLimited(served).violations).toEqual([]);
  expect(notLimited(refused).violations).toHaveLength(1);
  expect(notLimited(withoutResponse(served)).seen).toBe(0);
});

test('a model that a key declares is not refused as one that it does not', () => {
  expect(isNotUndeclared(served)).toMatchObject({ seen: 1, violations: [] });
  expect(isNotUndeclared(refused).violations).toHaveLength(1);
  expect(isNotUndeclared(telling('7')).violations).toHaveLength(1);
  expect(isNotUndeclared(sampleError(403, 'model_forbidden')).violations).toHaveLength(1);
});

test('a quota that is used up, or a model that cannot be served, shows nothing of what a key declares', () => {
  const again = sampleError(429, 'rate_limit_exceeded', 'router', {
    headers: [
      ['Content-Type', 'application/json'],
      ['Retry-After', '1'],
    ],
  });
  for (const exchange of [
    telling('0'),
    again,
    sampleError(503, 'no_capacity'),
    withoutResponse(served),
  ]) {
    expect(isNotUndeclared(exchange).seen).toBe(0);
  }
});

test('how much fills in is asked where half of it could be told, and where each replica may hold it', () => {
  expect(leastFilled(FOUR, 120, 4_000)).toBe(5);
  expect(leastFilled(FOUR, 20, 4_000)).toBe(5);
  expect(leastFilled(FOUR, 19, 4_000)).toBeUndefined();
  expect(leastFilled(FOUR, 120, 3_000)).toBeUndefined();
  expect(leastFilled(FOUR, 120, 7_000)).toBe(11);
  expect(
    [87, 88, 894, 895].map((perMinute) => leastFilled({ ...FOUR, perMinute }, 1_000, 4_000)),
  ).toEqual([undefined, 4, 40, undefined]);
});

test('the wait for a bucket to fill tells, also where the machine adds to it', () => {
  for (const perMinute of [90, 100, 120, 240, 600]) {
    for (let late = 0; late <= 300; late += 10) {
      expect(leastFilled({ ...FOUR, perMinute }, perMinute, FILLING_MS + late)).toBeGreaterThan(0);
    }
  }
});

test('a bucket fills at the rate of its limit', () => {
  const asked = { least: 5, ms: 4_000 };
  expect(fillsAtItsRate(refused, 5, asked)).toMatchObject({ seen: 1, violations: [] });
  expect(fillsAtItsRate(served, 6, asked).violations).toEqual([]);
  expect(fillsAtItsRate(refused, 4, asked).violations[0]).toMatchObject({
    expected: 'at least 5 requests pass after 4000 ms',
    actual: '4',
  });
  expect(fillsAtItsRate(withoutResponse(served), 0, asked).seen).toBe(0);
});
