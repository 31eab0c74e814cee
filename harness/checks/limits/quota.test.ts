import { describe, expect, test } from 'vitest';
import { sampleError, sampleExchange, withoutResponse } from '../router/sample.test.support.ts';
import { testVerdicts } from '../verdict.test.support.ts';
import {
  becameLimited,
  FILLING_MS,
  fillsAtItsRate,
  fillsNoFaster,
  foundEmpty,
  isNotUndeclared,
  leastFilled,
  mostRefilled,
  notLimited,
  refilledContinuously,
  refilledGradually,
  saysNoRequestsRemain,
} from './bucket.ts';
import {
  eachTookOne,
  omitsRemaining,
  remainingRequestsChange,
  remainingRequestsCountDown,
  remainingTokensCountDown,
  remainingTokensFell,
} from './quota.ts';

const FOUR = { perMinute: 120, replicas: 4 };
const ONE = { perMinute: 120, replicas: 1 };
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
  const after = { last: refused, served: passed - waited.length };
  return refilledGradually({ ones: waited, after, ms: 1_000 }, { ...FOUR, perMinute });
};
const afterEmpty = (given: number, durationMs: number, before = refused) =>
  foundEmpty(before, { last: { ...refused, durationMs }, served: given }, FOUR);
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
  ['requests of another kind', 'held', afterEmpty(mostRefilled(1_000, FOUR), 1_000)],
  ['requests of another kind', 'broken', afterEmpty(mostRefilled(1_000, FOUR) + 1, 1_000)],
  ['requests of another kind, a minute later', 'unseen', afterEmpty(120, 60_000)],
  ['requests of another kind, after none was refused', 'unseen', afterEmpty(120, 1_000, served)],
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
  ['no more than its rate', 'held', fillsNoFaster(refused, 13, { ...ONE, ms: 5_000 })],
  ['no more than its rate', 'broken', fillsNoFaster(refused, 14, { ...ONE, ms: 5_000 })],
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

describe('what remains', () => {
  const EACH = { perMinute: 60, replicas: 4 };
  const NOON = Date.UTC(2026, 0, 1, 12);
  const MIDNIGHT = 86_400_000;

  const negative = sampleExchange({ headers: [['x-ratelimit-remaining-tokens', '-1']] });
  const requests = (remaining: number, startedAt: number, durationMs = 10) =>
    sampleExchange({
      startedAt,
      durationMs,
      headers: [['X-RateLimit-Remaining-Requests', String(remaining)]],
    });
  const tokens = (remaining: number, startedAt = NOON, request: unknown = 'same') =>
    sampleExchange({
      startedAt,
      request,
      headers: [['X-RateLimit-Remaining-Tokens', String(remaining)]],
    });
  const remaining = (values: readonly number[], apartMs = 10) =>
    values.map((value, at) => requests(value, at * apartMs));
  const changed = (...values: readonly number[]) => remainingRequestsChange(remaining(values), 60);
  const row = (...values: readonly number[]) =>
    eachTookOne(remaining(values, 20), { perMinute: 60, replicas: 2 });
  const countedDown = (...values: readonly number[]) =>
    remainingRequestsCountDown(remaining(values, 100), EACH);
  const growing = [50, 60, 70, 80, 90].map((left, at) => tokens(left, NOON + at * 100));

  testVerdicts([
    ['a key without quotas', 'held', omitsRemaining(sampleExchange())],
    ['a key without quotas', 'broken', omitsRemaining(negative)],
    ['a key without quotas', 'unseen', omitsRemaining(withoutResponse(sampleExchange()))],
    ['a bucket that is emptied', 'held', changed(6, 5, 5, 4, 2, 1)],
    ['it stays the same', 'broken', changed(6, 6, 6, 6, 6, 6), changed(6, 6, 6, 6, 6, 6, 0)],
    [
      'too few answers, or too slow',
      'unseen',
      changed(6, 6, 6),
      changed(1, 1, 1, 1, 1, 1),
      remainingRequestsChange(remaining([2, 2, 2, 2, 2, 2, 2, 2], 0), 60),
      remainingRequestsChange(remaining([6, 6, 6, 6, 6, 6], 700), 60),
    ],
    ['one with each', 'held', row(9, 8, 7, 6, 5), row(9, 8, 8, 7, 6)],
    ['two with each', 'broken', row(9, 7, 5, 3, 1)],
    ['none with any', 'broken', row(9, 9, 9, 9, 9), row(8, 8, 8, 9, 9)],
    ['two replicas, or something filled in', 'unseen', row(9, 30, 8, 29, 7), row(9, 7, 6, 4, 2)],
    [
      'none with any, where as many may have filled in, or more replicas have one each',
      'unseen',
      eachTookOne(remaining([9, 9, 9, 9, 9], 300), { perMinute: 60, replicas: 2 }),
      eachTookOne(remaining([9, 9, 9, 9, 9], 20), { perMinute: 60, replicas: 4 }),
    ],
    ['too short a row', 'unseen', row(9, 7, 5)],
    [
      'what remains grows as the bucket fills, and from one replica to another',
      'held',
      remainingRequestsCountDown([requests(10, 0), requests(9, 20), requests(10, 2_000)], EACH),
      countedDown(5, 15, 25, 35),
      countedDown(9, 30, 8, 29, 7, 28),
      // The clock cannot tell the end of one request from the start of the next.
      remainingRequestsCountDown([requests(5, 0, 20.9), requests(9, 20)], EACH),
    ],
    [
      'it grows by more',
      'broken',
      countedDown(5, 15, 25, 35, 45),
      countedDown(5, 40, 15, 40, 25, 40, 35, 40, 45),
    ],
    [
      'requests that overlap',
      'unseen',
      remainingRequestsCountDown([requests(5, 0, 50), requests(9, 20)], EACH),
    ],
    [
      'tokens for the same request',
      'held',
      remainingTokensCountDown([tokens(50), tokens(40, NOON + 100)], 4),
      remainingTokensCountDown(growing.slice(1), 4),
    ],
    ['tokens for the same request', 'broken', remainingTokensCountDown(growing, 4)],
    [
      'tokens for other requests, or across midnight',
      'unseen',
      remainingTokensCountDown([tokens(50, NOON, 'one'), tokens(60, NOON + 100, 'other')], 4),
      remainingTokensCountDown([tokens(50, MIDNIGHT - 1_000), tokens(90, MIDNIGHT)], 4),
    ],
    ['tokens after a use', 'held', remainingTokensFell(tokens(50), tokens(40))],
    [
      'tokens after a use',
      'broken',
      ...[50, 60].map((n) => remainingTokensFell(tokens(50), tokens(n))),
    ],
    ['tokens after a use', 'unseen', remainingTokensFell(tokens(50), sampleExchange())],
  ]);
});
