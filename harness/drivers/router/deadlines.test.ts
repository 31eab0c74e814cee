import { expect, test } from 'vitest';
import { complete, drop, respond, stall } from '../../backend/behaviour.ts';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import { answersByItself, mayBeCutByDeadline, metDeadline } from './deadlines.ts';

const timeout = (durationMs: number) =>
  sampleError(504, 'request_timeout', 'router', { durationMs });

test('an engine that waits for us does not answer by itself', () => {
  expect(answersByItself([drop(), respond(500), complete()])).toBe(true);
  expect(answersByItself([complete(), stall()])).toBe(false);
});

test('a deadline is met when it has passed, and not before', () => {
  expect(metDeadline(timeout(6_010), 6_000)).toBe(true);
  expect(metDeadline(timeout(5_500), 6_000)).toBe(false);
  expect(metDeadline(sampleError(502, 'backend_error', 'backend', { durationMs: 7_000 }))).toBe(
    false,
  );
});

test('where no deadline is told a second is the least', () => {
  expect(metDeadline(timeout(1_200))).toBe(true);
  expect(metDeadline(timeout(40))).toBe(false);
});

test.each([
  ['a stream that broke off at the deadline', { ending: 'cut-short', durationMs: 6_010 }, true],
  ['one that seems complete then', { ending: 'complete', durationMs: 6_010 }, true],
  ['one that broke off before', { ending: 'cut-short', durationMs: 900 }, false],
  ['one that went on until we left', { ending: 'timeout', durationMs: 21_000 }, false],
] as const)('%s may be cut by it or not', (_, parts, expected) => {
  const exchange = sampleExchange({ request: { stream: true }, ...parts });
  expect(mayBeCutByDeadline(exchange, 6_000)).toBe(expected);
});
