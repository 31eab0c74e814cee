import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import {
  answers,
  sampleError,
  sampleExchange,
  testAnswers,
  withoutResponse,
} from '../router/sample.test.support.ts';
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
const { served, limited } = answers;
const limitedWith = (name: string, value: string) =>
  sampleError(429, 'rate_limit_exceeded', 'router', { headers: [[name, value]] });
const ones = (exchange: Exchange) => {
  const one = { exchange, waitedMs: 600 };
  return [one, one] as const;
};
const gradually = (passed: number, waited = ones(served), perMinute = 120) => {
  const after = { last: limited, served: passed - waited.length };
  const refill = { ones: waited, after, ms: 1_000, paced: [] };
  return refilledGradually(refill, { ...FOUR, perMinute });
};
const afterEmpty = (given: number, durationMs: number, before: Exchange = limited) =>
  foundEmpty(before, { last: { ...limited, durationMs }, served: given }, FOUR);
const asked = { least: 5, ms: 4_000 };

testAnswers(
  [
    ['the tenth request of a key', (one) => becameLimited(one, 10), 'limited'],
    [
      'the 380th request of a key',
      (one) => becameLimited(one, 380),
      '| served | lost beyondWindow',
    ],
    ['an empty bucket', saysNoRequestsRemain, 'noneLeft | oneLeft limited | served'],
    [
      'waited for',
      (one) => refilledContinuously({ ones: ones(one), paced: [] }, FOUR),
      'served | limited | lost',
    ],
    [
      'at an even pace',
      (one) => refilledContinuously({ ones: ones(served), paced: [served, one] }, FOUR),
      'served lost | limited',
    ],
    ['another key', notLimited, 'served | limited | lost'],
    ['a declared model', isNotUndeclared, 'served | limited someLeft denied'],
    ['a declared model', isNotUndeclared, '|| noneLeft soon noCapacity lost'],
    ['the fifth in four seconds', (one) => fillsAtItsRate(one, 5, asked), 'limited'],
    ['the sixth in four seconds', (one) => fillsAtItsRate(one, 6, asked), 'served'],
    ['the fourth in four seconds', (one) => fillsAtItsRate(one, 4, asked), '| limited'],
    ['none in four seconds', (one) => fillsAtItsRate(one, 0, asked), '|| lost'],
  ],
  {
    noneLeft: limitedWith('X-RateLimit-Remaining-Requests', '0'),
    oneLeft: limitedWith('X-RateLimit-Remaining-Requests', '1'),
    someLeft: limitedWith('X-RateLimit-Remaining-Requests', '7'),
    soon: limitedWith('Retry-After', '1'),
    beyondWindow: sampleError(400, 'context_length_exceeded', 'backend'),
  },
);

testVerdicts([
  ['as many as fill in', 'held', gradually(mostRefilled(1_000, FOUR))],
  ['one more', 'broken', gradually(mostRefilled(1_000, FOUR) + 1)],
  ['none to begin with', 'unseen', gradually(20, ones(limited))],
  ['a whole minute that is no more than may fill in', 'unseen', gradually(12, ones(served), 4)],
  ['requests of another kind', 'held', afterEmpty(mostRefilled(1_000, FOUR), 1_000)],
  ['requests of another kind', 'broken', afterEmpty(mostRefilled(1_000, FOUR) + 1, 1_000)],
  ['requests of another kind, a minute later', 'unseen', afterEmpty(120, 60_000)],
  ['requests of another kind, after none was refused', 'unseen', afterEmpty(120, 1_000, served)],
  ['no more than its rate', 'held', fillsNoFaster(limited, 13, { ...ONE, ms: 5_000 })],
  ['more than its rate', 'broken', fillsNoFaster(limited, 14, { ...ONE, ms: 5_000 })],
]);

// How much fills in is asked where half of it could be told, and where each replica may hold it.
test.for([
  [120, 20, 4_000, 5],
  [120, 19, 4_000, undefined],
  [120, 120, 3_000, undefined],
  [87, 1_000, 4_000, undefined],
  [88, 1_000, 4_000, 4],
  [894, 1_000, 4_000, 40],
  [895, 1_000, 4_000, undefined],
] as const)('of %i a minute and %i asked in %i ms %s fill in', ([perMinute, count, ms, least]) => {
  expect(leastFilled({ ...FOUR, perMinute }, count, ms)).toBe(least);
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
  const TWO = { ...EACH, replicas: 2 };
  const row = (...values: readonly number[]) => eachTookOne(remaining(values, 20), TWO);
  const nines = (apartMs: number) => remaining([9, 9, 9, 9, 9], apartMs);
  const countedDown = (...values: readonly number[]) =>
    remainingRequestsCountDown(remaining(values, 100), EACH);
  const inTurn = (...all: readonly Exchange[]) => remainingRequestsCountDown(all, EACH);
  const tokenRow = (...all: readonly Exchange[]) => remainingTokensCountDown(all, 4);
  const fell = (after: Exchange) => remainingTokensFell(tokens(50), after);
  const growing = [50, 60, 70, 80, 90].map((left, at) => tokens(left, NOON + at * 100));

  testVerdicts([
    ['a key without quotas', 'held', omitsRemaining(sampleExchange())],
    ['a key without quotas', 'broken', omitsRemaining(negative)],
    ['a key without quotas', 'unseen', omitsRemaining(withoutResponse(sampleExchange()))],
    ['a bucket that is emptied', 'held', changed(6, 5, 5, 4, 2, 1)],
    ['it stays the same', 'broken', changed(6, 6, 6, 6, 6, 6), changed(6, 6, 6, 6, 6, 6, 0)],
    ['too few answers', 'unseen', changed(6, 6, 6), changed(1, 1, 1, 1, 1, 1)],
    ['all at once', 'unseen', remainingRequestsChange(remaining(Array(8).fill(2), 0), 60)],
    ['too slow', 'unseen', remainingRequestsChange(remaining(Array(6).fill(6), 700), 60)],
    ['one with each', 'held', row(9, 8, 7, 6, 5), row(9, 8, 8, 7, 6)],
    ['two with each', 'broken', row(9, 7, 5, 3, 1)],
    ['none with any', 'broken', row(9, 9, 9, 9, 9), row(8, 8, 8, 9, 9)],
    ['two replicas, or something filled in', 'unseen', row(9, 30, 8, 29, 7), row(9, 7, 6, 4, 2)],
    ['none with any, where as many may have filled in', 'unseen', eachTookOne(nines(300), TWO)],
    ['none with any, where more replicas have one each', 'unseen', eachTookOne(nines(20), EACH)],
    ['too short a row', 'unseen', row(9, 7, 5)],
    ['it grows as the bucket fills', 'held', countedDown(5, 15, 25, 35)],
    ['it grows in 2 s', 'held', inTurn(requests(10, 0), requests(9, 20), requests(10, 2_000))],
    ['it grows from one replica to another', 'held', countedDown(9, 30, 8, 29, 7, 28)],
    ['one is sent as the other is answered', 'held', inTurn(requests(5, 0, 20), requests(9, 20))],
    ['it grows by more', 'broken', countedDown(5, 15, 25, 35, 45)],
    ['it grows again and again', 'broken', countedDown(5, 40, 15, 40, 25, 40, 35, 40, 45)],
    ['requests that overlap', 'unseen', inTurn(requests(5, 0, 50), requests(9, 20))],
    ['requests that overlap a little', 'unseen', inTurn(requests(5, 0, 20.9), requests(9, 20.2))],
    ['tokens for the same request', 'held', tokenRow(tokens(50), tokens(40, NOON + 100))],
    ['tokens that grow', 'held', tokenRow(...growing.slice(1))],
    ['tokens that grow by more', 'broken', tokenRow(...growing)],
    ['tokens for another request', 'unseen', tokenRow(tokens(50), tokens(60, NOON + 100, 'other'))],
    [
      'tokens after midnight',
      'unseen',
      tokenRow(tokens(50, MIDNIGHT - 1_000), tokens(90, MIDNIGHT)),
    ],
    ['tokens after a use', 'held', fell(tokens(40))],
    ['tokens after a use', 'broken', fell(tokens(50)), fell(tokens(60))],
    ['tokens after a use', 'unseen', fell(sampleExchange())],
  ]);
});
