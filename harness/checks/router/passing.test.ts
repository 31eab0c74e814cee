import { expect, test } from 'vitest';
import { foundNoRoom, isInternalFailure } from './envelope.ts';
import { sampleError, sampleExchange } from './sample.test.support.ts';

test.each([
  [503, 'no_capacity', true, false],
  [429, 'concurrency_limit_exceeded', true, false],
  [500, 'backend_error', false, true],
  [502, 'backend_error', false, false],
  [400, 'request_invalid', false, false],
])('%i %s', (status, code, noRoom, failure) => {
  const exchange = sampleError(status, code);
  expect([foundNoRoom(exchange), isInternalFailure(exchange)]).toEqual([noRoom, failure]);
});

test('a success is neither', () => {
  expect([foundNoRoom(sampleExchange()), isInternalFailure(sampleExchange())]).toEqual([
    false,
    false,
  ]);
});
