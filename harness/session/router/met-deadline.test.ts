import { expect, test } from 'vitest';
import { complete, drop, hang, held, respond } from '../../backend/behaviours.ts';
import { sampleError } from '../../checks/router/sample-exchange.ts';
import { answersByItself, metDeadline } from './met-deadline.ts';

const timeout = (durationMs: number) =>
  sampleError(504, 'request_timeout', 'router', { durationMs });

test('an engine that waits for us does not answer by itself', () => {
  expect(answersByItself([drop(), respond(500), complete()])).toBe(true);
  expect(answersByItself([complete(), held()])).toBe(false);
  expect(answersByItself([hang()])).toBe(false);
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
