import { expect, test } from 'vitest';
import {
  becameLimited,
  FILLING_MS,
  fillsAtItsRate,
  isNotUndeclared,
  leastFilled,
  mostRefilled,
  notLimited,
  refilledContinuously,
  refilledGradually,
  saysNoRequestsRemain,
} from './bucket.ts';
import {
  sampleError,
  sampleExchange,
  testVerdicts,
  withoutResponse,
} from '../router/sample.test.support.ts';

const FOUR = { perMinute: 120, replicas: 4 };
const served = sampleExchange();
const lost = withoutResponse(served);
const refused = sampleError(429, 'rate_limit_exceeded');
const refusedWith = (name: string, value: string) =>
  sampleError(429, 'rate_limit_exceeded', 'router', { headers: [[name, value]] });
const telling = (left: string) => refusedWith('X-RateLimit-Remaining-Requests', left);
const ones = (exchange: typeof served) => {
  const one = { exchange, waitedMs: 600 };
  return [one, one] as const;
};
const gradually = (passed: number, waited = ones(served), perMinute = 120) => {
  const after = { last: refused, passed: passed - waited.length };
  return refilledGradually({ ones: waited, after, ms: 1_000 }, { ...FOUR, perMinute });
};
const asked = { least: 5, ms: 4_000 };

testVerdicts([
  ['a key that asks for far more than its quota', 'held', becameLimited(refused, 10)],
  ['a key that asks for far more than its quota', 'broken', becameLimited(served, 380)],
  ['a key that asks for far more than its quota', 'unseen', becameLimited(lost, 380)],
  ['an empty bucket tells', 'held', saysNoRequestsRemain(telling('0'))],
  ['it does not', 'broken', saysNoRequestsRemain(telling('1')), saysNoRequestsRemain(refused)],
  ['a bucket that is not empty', 'unseen', saysNoRequestsRemain(served)],
  ['requests that were waited for', 'held', refilledContinuously({ ones: ones(served) }, FOUR)],
  ['requests that were waited for', 'broken', refilledContinuously({ ones: ones(refused) }, FOUR)],
  ['requests that were waited for', 'unseen', refilledContinuously({ ones: ones(lost) }, FOUR)],
  ['as many as fill in', 'held', gradually(mostRefilled(1_000, FOUR))],
  ['one more', 'broken', gradually(mostRefilled(1_000, FOUR) + 1)],
  [
    'none to begin with, or a whole minute that is no more than what may fill in',
    'unseen',
    gradually(20, ones(refused)),
    gradually(12, ones(served), 4),
  ],
  ['another key', 'held', notLimited(served)],
  ['another key', 'broken', notLimited(refused)],
  ['another key', 'unseen', notLimited(lost)],
  ['a declared model', 'held', isNotUndeclared(served)],
  [
    'a declared model',
    'broken',
    ...[refused, telling('7'), sampleError(403, 'model_forbidden')].map(isNotUndeclared),
  ],
  [
    'a quota that is used up, or a model that cannot be served',
    'unseen',
    ...[telling('0'), refusedWith('Retry-After', '1'), sampleError(503, 'no_capacity'), lost].map(
      isNotUndeclared,
    ),
  ],
  ['its rate', 'held', fillsAtItsRate(refused, 5, asked), fillsAtItsRate(served, 6, asked)],
  ['its rate', 'broken', fillsAtItsRate(refused, 4, asked)],
  ['its rate', 'unseen', fillsAtItsRate(lost, 0, asked)],
]);

test('how much fills in is asked where half of it could be told, and where each replica may hold it', () => {
  expect(leastFilled(FOUR, 20, 4_000)).toBe(5);
  expect(leastFilled(FOUR, 19, 4_000)).toBeUndefined();
  expect(leastFilled(FOUR, 120, 3_000)).toBeUndefined();
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
