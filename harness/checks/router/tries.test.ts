import { expect, test } from 'vitest';
import { answeredWith, discarded } from './outcome.ts';
import { sampleError, sampleExchange, withoutResponse } from './sample.test.support.ts';
import {
  mostTriedAgain,
  otherAgent,
  providerAskedOnce,
  secondAnswer,
  triesWithin,
} from './tries.ts';

const second = sampleExchange({ body: { text: 'the second' } });
const failed = sampleError(503, 'backend_unavailable');
const full = sampleError(503, 'no_capacity');
const late = sampleError(504, 'request_timeout', 'router', { durationMs: 6_000 });
const rash = sampleError(504, 'request_timeout', 'router', { durationMs: 20 });

test('a second answer takes two hits and is the one that reaches the client', () => {
  expect(secondAnswer(second, 2, 'the second').violations).toEqual([]);
  expect(secondAnswer(second, 1, 'the second').violations).toHaveLength(1);
  expect(secondAnswer(failed, 2, 'the second').violations).toHaveLength(1);
  expect(secondAnswer(failed, 0, 'the second').seen).toBe(0);
  expect(secondAnswer(full, 1, 'the second').seen).toBe(0);
  expect(secondAnswer(late, 1, 'the second').seen).toBe(0);
  expect(secondAnswer(rash, 1, 'the second').violations).toHaveLength(2);
});

test('tries are bounded on both sides', () => {
  const bounds = { least: 2, most: 3 };
  expect(triesWithin(failed, 2, bounds).violations).toEqual([]);
  expect(triesWithin(failed, 1, bounds).violations).toHaveLength(1);
  expect(triesWithin(failed, 4, bounds).violations).toHaveLength(1);
  expect(triesWithin(failed, 9, { least: 2, most: Infinity }).violations).toEqual([]);
  expect(triesWithin(failed, 0, bounds).seen).toBe(0);
  expect(triesWithin(full, 1, bounds).seen).toBe(0);
  expect(triesWithin(late, 1, bounds).seen).toBe(0);
  expect(triesWithin(rash, 1, bounds).violations).toHaveLength(1);
  expect(triesWithin(full, 4, bounds).violations).toHaveLength(1);
});

test('the second try goes elsewhere', () => {
  expect(otherAgent(failed, ['a', 'b']).violations).toEqual([]);
  expect(otherAgent(failed, ['a', 'a', 'b']).violations).toHaveLength(1);
  expect(otherAgent(failed, ['a']).seen).toBe(0);
});

test('an answer holds the text of the engine', () => {
  expect(answeredWith(second, 'the second').violations).toEqual([]);
  expect(answeredWith(second, 'the first').violations).toHaveLength(1);
  expect(answeredWith(withoutResponse(second), 'the second').seen).toBe(0);
});

test('discarded output is not in an error', () => {
  expect(discarded(failed, 'the output').violations).toEqual([]);
  expect(discarded(sampleError(429, 'the output'), 'the output').violations).toHaveLength(1);
  expect(discarded(second, 'the second').seen).toBe(0);
});

test('what stops a session at an agent and goes on is the second try of a provider', () => {
  const stopped = sampleError(400, 'invalid_parameter');
  const wentOn = sampleError(502, 'backend_error');
  expect(providerAskedOnce(stopped, 2, 3)).toMatchObject({ seen: 1, violations: [] });
  expect(providerAskedOnce(wentOn, 3, 3).violations).toHaveLength(1);
  // Fewer agents than before were asked, or others.
  expect(providerAskedOnce(wentOn, 2, 3).seen).toBe(0);
  expect(providerAskedOnce(failed, 0, 3).seen).toBe(0);
  expect(providerAskedOnce(stopped, 1, 3).seen).toBe(0);
});

test('a good share of first failures that nobody else is asked after is no mishap', () => {
  const right = secondAnswer(second, 2, 'the second');
  const wrong = secondAnswer(failed, 1, 'the second');
  const nothing = secondAnswer(failed, 0, 'the second');
  const everySecond = [right, wrong, right, wrong, right, wrong, right, wrong];
  expect(mostTriedAgain(everySecond).violations.length).toBeGreaterThan(0);
  const mishap = mostTriedAgain([right, right, wrong, right, right, wrong, right, right]);
  expect(mishap).toMatchObject({ seen: 8, violations: [] });
  expect(mostTriedAgain([wrong, wrong, wrong, nothing, nothing, nothing]).seen).toBe(0);
});
