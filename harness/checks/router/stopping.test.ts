import { expect, test } from 'vitest';
import { sampleError, withoutResponse } from './sample.test.support.ts';
import { stoppedAtOnce } from './tries.ts';

const stopped = sampleError(400, 'invalid_parameter');

test('a session that stops asks one engine', () => {
  expect(stoppedAtOnce(stopped, 1)).toEqual({ seen: 1, violations: [] });
  expect(stoppedAtOnce(stopped, 2).violations).toHaveLength(1);
  expect(stoppedAtOnce(sampleError(502, 'backend_error'), 2).violations).toHaveLength(1);
});

test('one hit and an error that does not stop a session show nothing', () => {
  expect(stoppedAtOnce(sampleError(502, 'backend_error'), 1).seen).toBe(0);
});

test('a request that was lost on its way shows nothing, and one that asked two engines before it broke off does', () => {
  expect(stoppedAtOnce(withoutResponse(stopped), 0).seen).toBe(0);
  expect(stoppedAtOnce(stopped, 0).violations).toHaveLength(1);
  expect(stoppedAtOnce(withoutResponse(stopped), 2).violations).toHaveLength(1);
});
