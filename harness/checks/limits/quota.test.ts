import { describe, expect, test } from 'vitest';
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

const negative = sampleExchange({ headers: [['x-ratelimit-remaining-tokens', '-1']] });
testVerdicts([
  ['a key without quotas is told of neither', 'held', omitsRemaining(sampleExchange())],
  ['a key without quotas is told of neither', 'broken', omitsRemaining(negative)],
  ['no response', 'unseen', omitsRemaining(withoutResponse(sampleExchange()))],
]);

describe('remaining headers', () => {
  const requests = (remaining: number, startedAt: number, durationMs = 10) =>
    sampleExchange({
      startedAt,
      durationMs,
      headers: [['X-RateLimit-Remaining-Requests', String(remaining)]],
    });
  const tokens = (remaining: number, startedAt: number, request: unknown = 'same') =>
    sampleExchange({
      startedAt,
      request,
      headers: [['X-RateLimit-Remaining-Tokens', String(remaining)]],
    });

  test('change while a bucket is emptied', () => {
    const told = (values: readonly number[], apartMs = 10) =>
      values.map((value, at) => requests(value, at * apartMs));
    expect(remainingRequestsChange(told([6, 5, 5, 4, 2, 1]), 60)).toEqual({
      seen: 1,
      violations: [],
    });
    expect(remainingRequestsChange(told([6, 6, 6, 6, 6, 6]), 60).violations).toHaveLength(1);
    expect(remainingRequestsChange(told([6, 6, 6, 6, 6, 6, 0]), 60).violations).toHaveLength(1);
    expect(remainingRequestsChange(told([6, 6, 6]), 60).seen).toBe(0);
    expect(remainingRequestsChange(told([1, 1, 1, 1, 1, 1]), 60).seen).toBe(0);
    expect(remainingRequestsChange(told([2, 2, 2, 2, 2, 2, 2, 2], 0), 60).seen).toBe(0);
    expect(remainingRequestsChange(told([6, 6, 6, 6, 6, 6], 700), 60).seen).toBe(0);
  });

  test('fall by one with each request of a row', () => {
    const row = (...values: readonly number[]) =>
      eachTookOne(values.map((value, at) => requests(value, at * 20)));
    expect(row(9, 8, 7, 6, 5)).toEqual({ seen: 1, violations: [] });
    expect(row(9, 8, 8, 7, 6)).toEqual({ seen: 1, violations: [] });
    // Two replicas, or something filled in.
    expect(row(9, 30, 8, 29, 7).seen).toBe(0);
    expect(row(9, 7, 6, 4, 2).seen).toBe(0);
    expect(row(9, 7, 5, 3, 1).violations).toHaveLength(1);
    expect(row(9, 7, 5).seen).toBe(0);
  });

  test('count down, and grow as the bucket refills', () => {
    const sequence = [requests(10, 0), requests(9, 20), requests(10, 2_000)];
    expect(remainingRequestsCountDown(sequence, FOUR)).toEqual({ seen: 2, violations: [] });
  });

  test('do not grow by more, but from one replica to another', () => {
    const told = (...values: readonly number[]) =>
      remainingRequestsCountDown(
        values.map((value, at) => requests(value, at * 100)),
        FOUR,
      );
    expect(told(5, 15, 25, 35, 45).violations).toHaveLength(1);
    expect(told(5, 40, 15, 40, 25, 40, 35, 40, 45).violations).toHaveLength(1);
    expect(told(5, 15, 25, 35)).toEqual({ seen: 3, violations: [] });
    expect(told(9, 30, 8, 29, 7, 28)).toEqual({ seen: 5, violations: [] });
  });

  test('are compared where the clock cannot tell an end from the next start', () => {
    expect(remainingRequestsCountDown([requests(5, 0, 20.9), requests(9, 20)], FOUR).seen).toBe(1);
  });

  test('of overlapping requests show nothing', () => {
    expect(remainingRequestsCountDown([requests(5, 0, 50), requests(9, 20)], FOUR).seen).toBe(0);
  });

  const NOON = Date.UTC(2026, 0, 1, 12);

  test('of tokens do not grow for the same request', () => {
    expect(remainingTokensCountDown([tokens(50, NOON), tokens(40, NOON + 100)], 4)).toEqual({
      seen: 1,
      violations: [],
    });
    const growing = [50, 60, 70, 80, 90].map((left, at) => tokens(left, NOON + at * 100));
    expect(remainingTokensCountDown(growing, 4).violations).toHaveLength(1);
    expect(remainingTokensCountDown(growing.slice(1), 4).violations).toEqual([]);
  });

  test('of tokens show nothing for other requests or across midnight', () => {
    const others = [tokens(50, NOON, 'one'), tokens(60, NOON + 100, 'other')];
    expect(remainingTokensCountDown(others, 4).seen).toBe(0);
    expect(remainingTokensCountDown([tokens(50, 86_399_000), tokens(90, 86_400_000)], 4).seen).toBe(
      0,
    );
  });

  test('tokens go down as a part of the budget is used', () => {
    const first = tokens(50, NOON);
    expect(remainingTokensFell(first, tokens(40, NOON + 100))).toEqual({ seen: 1, violations: [] });
    expect(remainingTokensFell(first, tokens(50, NOON + 100)).violations).toHaveLength(1);
    expect(remainingTokensFell(first, tokens(60, NOON + 100)).violations[0]).toMatchObject({
      expected: 'less than 50',
      actual: '60',
    });
    expect(remainingTokensFell(first, sampleExchange())).toEqual({ seen: 0, violations: [] });
  });
});
