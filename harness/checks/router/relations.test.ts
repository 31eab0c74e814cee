import { describe, expect, test } from 'vitest';
import type { HeaderLines } from '../../exchange/exchange.ts';
import {
  remainingRequestsChange,
  eachTookOne,
  remainingRequestsCountDown,
  remainingTokensCountDown,
  remainingTokensFell,
} from '../limits/quota.ts';
import { bytesKept, rawMessageIsBeginning, rawMessageTruncated } from './classification.ts';
import { freshRequestIds } from './headers.ts';
import { sameRefusal } from './credentials.ts';
import { SAMPLE_ID, sampleExchange, withoutResponse } from './sample.test.support.ts';

const FOUR = { perMinute: 60, replicas: 4 };
const OTHER_ID = '0190a7c2-6b1e-7c3d-8e4f-000000000000';

describe('the same refusal', () => {
  const refusal = (body: unknown, realm = 'router', status = 401) =>
    sampleExchange({ status, body, headers: [['WWW-Authenticate', `Bearer realm="${realm}"`]] });
  const counts = (judgement: { violations: readonly unknown[] }) => judgement.violations.length;

  test('differs in ids alone', () => {
    const likeness = sameRefusal([refusal({ id: SAMPLE_ID })], refusal({ id: OTHER_ID }));
    expect(Object.values(likeness).map(counts)).toEqual([0, 0, 0]);
    expect(likeness.body.seen).toBe(1);
  });

  test.for([
    ['2026-11-21T19:26:19Z', '2026-11-21T19:26:20Z'],
    ['2026-11-21T20:26:19.998+01:00', '2026-11-21T20:26:20+01:00'],
    [1_795_289_179, 1_795_289_180],
    [1_795_289_179_998, 1_795_289_180_001],
    [1_795_289_179.5, 1_795_289_180.25],
  ])('differs in moments alone: %s and %s', ([at, later]) => {
    const { body } = sameRefusal([refusal({ at })], refusal({ at: later }));
    expect([body.seen, counts(body)]).toEqual([1, 0]);
  });

  test('is told apart by other numbers', () => {
    const { body } = sameRefusal([refusal({ reason: 1 })], refusal({ reason: 2 }));
    expect(counts(body)).toBe(1);
  });

  describe('of an envelope with members of its own', () => {
    const own = (more: object, error: object = {}) =>
      refusal({
        error: { code: 'unauthorized', message: 'no', source: 'router', ...error },
        ...more,
      });

    test.for([
      [own({ id: 'k' }), own({ id: 'l' }), own({ id: 'm' }), 0],
      [own({}, { id: 'k' }), own({}, { id: 'l' }), own({}, { id: 'm' }), 0],
      [own({ why: 'none' }), own({ why: 'wrong' }), own({ why: 'none' }), 1],
      [own({ id: 'k', why: 'a' }), own({ id: 'l', why: 'b' }), own({ id: 'm', why: 'a' }), 1],
      [own({}, { code: 'a' }), own({}, { code: 'b' }), own({}, { code: 'c' }), 1],
      [own({}), own({ why: 'wrong' }), own({}), 1],
      [own({ id: 'k' }), own({ id: 'l' }), undefined, 0],
      [own({}), own({}, { message: 'wrong' }), undefined, 1],
    ] as const)('what moves anyhow does not count', ([one, other, again, expected]) => {
      expect(counts(sameRefusal(again === undefined ? [one] : [one, again], other).body)).toBe(
        expected,
      );
    });
  });

  test('is told apart by status, body and challenge', () => {
    expect(counts(sameRefusal([refusal('a')], refusal('a', 'router', 403)).status)).toBe(1);
    expect(counts(sameRefusal([refusal('missing')], refusal('invalid')).body)).toBe(1);
    expect(counts(sameRefusal([refusal('a')], refusal('a', 'other')).challenge)).toBe(1);
  });

  test('shows nothing without a response', () => {
    expect(sameRefusal([refusal('a')], withoutResponse(refusal('a'))).status.seen).toBe(0);
  });
});

describe('request ids', () => {
  const withId = (id: string, requestHeaders: HeaderLines = []) =>
    sampleExchange({ requestHeaders, headers: [['X-Request-ID', id]] });

  test('are fresh', () => {
    expect(freshRequestIds([withId(SAMPLE_ID), withId(OTHER_ID)])).toEqual({
      seen: 1,
      violations: [],
    });
  });

  test('are not given twice', () => {
    expect(
      freshRequestIds([withId(SAMPLE_ID), withId(SAMPLE_ID.toUpperCase())]).violations,
    ).toHaveLength(1);
  });

  test('that clients brought do not count, and one alone shows nothing', () => {
    const brought = withId(SAMPLE_ID, [['x-request-id', SAMPLE_ID]]);
    expect(freshRequestIds([withId(SAMPLE_ID), brought]).seen).toBe(0);
  });
});

describe('a raw message', () => {
  const withMessage = (message: string) =>
    sampleExchange({
      status: 400,
      body: { error: { code: 'invalid_parameter', message, source: 'backend' } },
    });
  const ascii = Array.from({ length: 300 }, (_, at) => `word${at}`).join(' ');
  // 511 bytes, then a character of four.
  const straddling = `${ascii.slice(0, 511)}😀${ascii.slice(511)}`;
  const bytes = Buffer.from(straddling);

  test.each([
    ['cut before the character', bytes.subarray(0, 511).toString()],
    ['cut through it, mended', bytes.subarray(0, 512).toString()],
    ['cut short and marked', `${bytes.subarray(0, 500).toString()}…`],
  ])('is short enough when %s', (_, message) => {
    expect(rawMessageTruncated(withMessage(message), straddling)).toEqual({
      seen: 1,
      violations: [],
    });
    expect(rawMessageIsBeginning(withMessage(message), straddling)).toEqual({
      seen: 1,
      violations: [],
    });
  });

  test.each([
    ['whole', straddling],
    ['cut after the character', bytes.subarray(0, 515).toString()],
  ])('is too long when %s', (_, message) => {
    expect(rawMessageTruncated(withMessage(message), straddling).violations).toHaveLength(1);
  });

  test('of 512 characters that are more bytes is too long', () => {
    const raw = Array.from({ length: 400 }, (_, at) => `ä${at}`).join('');
    expect(rawMessageTruncated(withMessage(raw.slice(0, 512)), raw).violations).toHaveLength(1);
  });

  test('shows nothing when none of the body is in it or the body is short', () => {
    expect(rawMessageTruncated(withMessage('!'), straddling).seen).toBe(0);
    expect(rawMessageTruncated(withMessage('short'), 'short').seen).toBe(0);
  });

  test('that is something else is not the beginning', () => {
    expect(rawMessageIsBeginning(withMessage(ascii.slice(-300)), ascii).violations).toHaveLength(1);
    expect(
      rawMessageIsBeginning(withMessage('engine failed'), 'out of memory').violations,
    ).toHaveLength(1);
    expect(rawMessageIsBeginning(withMessage('out of memory'), 'out of memory').violations).toEqual(
      [],
    );
  });

  test('counts bytes', () => {
    expect(bytesKept('xxäö', 'äöü')).toBe(4);
    expect(bytesKept('none', 'äöü')).toBe(0);
  });
});

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
