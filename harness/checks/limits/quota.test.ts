import { sampleExchange, testVerdicts, withoutResponse } from '../router/sample.test.support.ts';
import {
  eachTookOne,
  omitsRemaining,
  remainingRequestsChange,
  remainingRequestsCountDown,
  remainingTokensCountDown,
  remainingTokensFell,
} from './quota.ts';

const FOUR = { perMinute: 60, replicas: 4 };
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
const told = (values: readonly number[], apartMs = 10) =>
  values.map((value, at) => requests(value, at * apartMs));
const changed = (...values: readonly number[]) => remainingRequestsChange(told(values), 60);
const row = (...values: readonly number[]) => eachTookOne(told(values, 20));
const countedDown = (...values: readonly number[]) =>
  remainingRequestsCountDown(told(values, 100), FOUR);
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
    remainingRequestsChange(told([2, 2, 2, 2, 2, 2, 2, 2], 0), 60),
    remainingRequestsChange(told([6, 6, 6, 6, 6, 6], 700), 60),
  ],
  ['one with each', 'held', row(9, 8, 7, 6, 5), row(9, 8, 8, 7, 6)],
  ['two with each', 'broken', row(9, 7, 5, 3, 1)],
  ['two replicas, or something filled in', 'unseen', row(9, 30, 8, 29, 7), row(9, 7, 6, 4, 2)],
  ['too short a row', 'unseen', row(9, 7, 5)],
  [
    'what remains grows as the bucket fills, and from one replica to another',
    'held',
    remainingRequestsCountDown([requests(10, 0), requests(9, 20), requests(10, 2_000)], FOUR),
    countedDown(5, 15, 25, 35),
    countedDown(9, 30, 8, 29, 7, 28),
    // The clock cannot tell an end from the next start.
    remainingRequestsCountDown([requests(5, 0, 20.9), requests(9, 20)], FOUR),
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
    remainingRequestsCountDown([requests(5, 0, 50), requests(9, 20)], FOUR),
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
