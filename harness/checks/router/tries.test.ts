import { describe, expect, test } from 'vitest';
import { pass } from '../judgement.ts';
import { sampleError, sampleExchange, withoutResponse } from './sample.test.support.ts';
import { testVerdicts } from '../verdict.test.support.ts';
import {
  mostTriedAgain,
  otherAgent,
  providerAskedOnce,
  reachedEngine,
  reachedNoEngine,
  secondAnswer,
  stoppedAtOnce,
  triesWithin,
  whenReached,
} from './tries.ts';

const SECOND = 'the second';
const second = sampleExchange({ body: { text: SECOND } });
const failed = sampleError(503, 'backend_unavailable');
const full = sampleError(503, 'no_capacity');
const late = sampleError(504, 'request_timeout', 'router', { durationMs: 6_000 });
const rash = sampleError(504, 'request_timeout', 'router', { durationMs: 20 });
const stopped = sampleError(400, 'invalid_parameter');
const wentOn = sampleError(502, 'backend_error');
const bounds = { least: 2, most: 3 };

describe('hits', () => {
  testVerdicts([
    ['none for what is refused', 'held', reachedNoEngine(sampleError(401, 'unauthorized'), 0)],
    ['one for what must be refused', 'broken', reachedNoEngine(second, 1)],
    ['no response', 'unseen', reachedNoEngine(withoutResponse(second), 1)],
    ['as many as expected', 'held', reachedEngine(second, 2, 2), whenReached(1, pass())],
    ['more than expected', 'broken', reachedEngine(second, 2, 1)],
    ['none to judge an answer', 'unseen', whenReached(0, pass())],
  ]);
});

describe('a second answer', () => {
  testVerdicts([
    ['after two hits', 'held', secondAnswer(second, 2, SECOND)],
    ['after one', 'broken', secondAnswer(second, 1, SECOND), secondAnswer(rash, 1, SECOND)],
    ['did not reach the client', 'broken', secondAnswer(failed, 2, SECOND)],
    ['no engine asked', 'unseen', secondAnswer(failed, 0, SECOND)],
    ['cut short', 'unseen', secondAnswer(full, 1, SECOND), secondAnswer(late, 1, SECOND)],
    ['from the other agent', 'held', otherAgent(failed, ['a', 'b'])],
    ['from the same agent', 'broken', otherAgent(failed, ['a', 'a', 'b'])],
    ['from nobody', 'unseen', otherAgent(failed, ['a'])],
  ]);
});

describe('tries', () => {
  testVerdicts([
    ['within their bounds', 'held', triesWithin(failed, 2, bounds)],
    ['without an upper bound', 'held', triesWithin(failed, 9, { least: 2, most: Infinity })],
    ['too few', 'broken', triesWithin(failed, 1, bounds), triesWithin(rash, 1, bounds)],
    ['too many', 'broken', triesWithin(failed, 4, bounds), triesWithin(full, 4, bounds)],
    ['cut short', 'unseen', triesWithin(full, 1, bounds), triesWithin(late, 1, bounds)],
    ['none', 'unseen', triesWithin(failed, 0, bounds)],
    ['stopped at once', 'held', stoppedAtOnce(stopped, 1)],
    ['stopped too late', 'broken', stoppedAtOnce(stopped, 2), stoppedAtOnce(wentOn, 2)],
    ['stopped without a hit', 'broken', stoppedAtOnce(stopped, 0)],
    ['a code that stops nothing', 'unseen', stoppedAtOnce(wentOn, 1)],
    ['lost on the way', 'unseen', stoppedAtOnce(withoutResponse(stopped), 0)],
    ['broke off after two', 'broken', stoppedAtOnce(withoutResponse(stopped), 2)],
    ['a provider asked once', 'held', providerAskedOnce(stopped, 2, 3)],
    ['a provider asked twice', 'broken', providerAskedOnce(wentOn, 3, 3)],
    // Fewer agents than before were asked, or others.
    ['other agents asked', 'unseen', providerAskedOnce(wentOn, 2, 3)],
    ['other agents asked', 'unseen', providerAskedOnce(stopped, 1, 3)],
    ['no agent asked', 'unseen', providerAskedOnce(failed, 0, 3)],
  ]);
});

test('a good share of first failures that nobody else is asked after is no mishap', () => {
  const right = secondAnswer(second, 2, SECOND);
  const wrong = secondAnswer(failed, 1, SECOND);
  const nothing = secondAnswer(failed, 0, SECOND);
  const everySecond = [right, wrong, right, wrong, right, wrong, right, wrong];
  expect(mostTriedAgain(everySecond).violations.length).toBeGreaterThan(0);
  const mishap = mostTriedAgain([right, right, wrong, right, right, wrong, right, right]);
  expect(mishap).toMatchObject({ seen: 8, violations: [] });
  expect(mostTriedAgain([wrong, wrong, wrong, nothing, nothing, nothing]).seen).toBe(0);
});
