import { describe, expect, test } from 'vitest';
import {
  accepted,
  answeredWith,
  answeredWithOneOf,
  failsByChanceAlone,
  limitedBy429,
  noServerError,
  notAccepted,
  otherKeyServed,
  refusedWith,
  servedAfterWaits,
} from './answers.ts';
import { exchangeOf } from './exchange.test.support.ts';
import { outcomeOf } from './verdicts.test.support.ts';
import type { Judgement } from '../judgement.ts';

const refusal = (status: number, code: string) => exchangeOf({ status, body: { error: { code } } });

describe('an answer', () => {
  test.each([
    [200, 'held'],
    [202, 'held'],
    [302, 'violated'],
    [400, 'violated'],
    [500, 'violated'],
    [429, 'vacuous'],
    [502, 'vacuous'],
    [503, 'vacuous'],
  ])('with %i as acceptance is %s', (status, expected) => {
    expect(outcomeOf(accepted(exchangeOf({ status, body: {} }), 'A request'))).toBe(expected);
  });

  test.each([
    [404, 'held'],
    [400, 'held'],
    [200, 'violated'],
    [503, 'vacuous'],
  ])('with %i as refusal of any kind is %s', (status, expected) => {
    expect(outcomeOf(notAccepted(exchangeOf({ status, body: {} }), 'A request'))).toBe(expected);
  });

  test('that did not arrive says nothing', () => {
    const lost = { ...exchangeOf({ status: 200 }), ending: 'reset' as const };
    expect(outcomeOf(accepted(lost, 'A request'))).toBe('vacuous');
    expect(outcomeOf(answeredWith({ ...lost, response: undefined }, 404, 'A request'))).toBe(
      'vacuous',
    );
  });

  test.each([
    [400, 'VALIDATION_ERROR', 'held'],
    [400, 'NOT_FOUND', 'violated'],
    [422, 'VALIDATION_ERROR', 'violated'],
    [500, 'INTERNAL_ERROR', 'violated'],
    [429, 'TOO_MANY_REQUESTS', 'vacuous'],
  ])('with %i %s as refusal is %s', (status, code, expected) => {
    expect(outcomeOf(refusedWith(refusal(status, code), 400, 'Size 0'))).toBe(expected);
  });

  test('a 429 that was asked for is judged', () => {
    expect(outcomeOf(refusedWith(refusal(429, 'TOO_MANY_REQUESTS'), 429, 'A flood'))).toBe('held');
    expect(outcomeOf(refusedWith(refusal(429, 'SLOW_DOWN'), 429, 'A flood'))).toBe('violated');
  });

  test('one of several statuses', () => {
    expect(outcomeOf(answeredWithOneOf(exchangeOf({ status: 404 }), [400, 404], 'x'))).toBe('held');
    expect(outcomeOf(answeredWithOneOf(exchangeOf({ status: 200 }), [400, 404], 'x'))).toBe(
      'violated',
    );
    expect(outcomeOf(answeredWith(exchangeOf({ status: 404 }), 404, 'x'))).toBe('held');
    expect(outcomeOf(answeredWith(exchangeOf({ status: 403 }), 404, 'x'))).toBe('violated');
  });

  test.each([
    [400, 'held'],
    [200, 'held'],
    [500, 'violated'],
    [503, 'vacuous'],
  ])('with %i is no server error: %s', (status, expected) => {
    expect(outcomeOf(noServerError(exchangeOf({ status }), 'An odd value'))).toBe(expected);
  });
});

function judged(...statuses: readonly number[]) {
  const { seen, violations } = failsByChanceAlone(statuses.map((status) => exchangeOf({ status })));
  return { seen, violations: violations.length };
}

test('answers without a failure are held', () => {
  expect(judged(200, 404, 200)).toEqual({ seen: 3, violations: 0 });
});

test('a failure or two may pass', () => {
  expect(judged(200, 500, 200, 500)).toEqual({ seen: 2, violations: 0 });
  expect(judged(500)).toEqual({ seen: 0, violations: 0 });
});

test('more do not', () => {
  expect(judged(200, 500, 500, 200, 500).violations).toBe(3);
});

test("a proxy's trouble is no failure of the service", () => {
  expect(judged(200, 502, 503, 504)).toEqual({ seen: 1, violations: 0 });
});

const answer = (status: number) => exchangeOf({ status, path: '/regions', body: {} });

function outcome({ seen, violations }: Judgement): string {
  if (violations.length > 0) return 'violated';
  return seen === 0 ? 'vacuous' : 'held';
}

test.each([
  [[200, 200, 429], 'held'],
  [[200, 200], 'vacuous'],
  [[200, 429, 403], 'violated'],
  [[200, 429, 503], 'held'],
  [[200, 500, 429], 'held'],
  [[500, 500, 500, 429], 'violated'],
])('calls answered with %j: %s', (statuses, expected) => {
  expect(outcome(limitedBy429(statuses.map(answer)))).toBe(expected);
});

test.each([
  [429, 200, 429, 'held'],
  [429, 429, 429, 'violated'],
  [429, 200, 200, 'vacuous'],
  [429, 503, 429, 'vacuous'],
  [429, 500, 429, 'vacuous'],
  [429, 403, 429, 'violated'],
])(
  'a limited key, another, the limited one again: %i, %i, %i: %s',
  (before, other, after, expected) => {
    expect(outcome(otherKeyServed(answer(before), answer(other), answer(after)))).toBe(expected);
  },
);

test.each([
  [[200], 'held'],
  [[429, 200], 'held'],
  [[429, 429], 'violated'],
  [[], 'vacuous'],
  [[503], 'vacuous'],
])('calls after waits, answered with %j: %s', (statuses, expected) => {
  expect(outcome(servedAfterWaits(statuses.map(answer)))).toBe(expected);
});
