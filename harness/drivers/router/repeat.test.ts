import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import { routerRepeat } from './repeat.ts';

const repeats = (exchange: Parameters<typeof routerRepeat>[0], attempt = 0) =>
  routerRepeat(exchange, attempt) !== undefined;

test('an internal failure is tried once more', () => {
  const failed = sampleError(500, 'backend_error');
  expect([repeats(failed), repeats(failed, 1)]).toEqual([true, false]);
  expect(repeats(sampleError(502, 'backend_error'))).toBe(false);
  expect(repeats(sampleError(400, 'request_invalid'))).toBe(false);
});

test('what a script answers is asked for once', () => {
  const request = { messages: [{ role: 'user', content: 'Hello. [[plumbline:7]]' }] };
  expect(repeats(sampleError(500, 'backend_error', 'router', { request }))).toBe(false);
});

test('a read that fails is tried once more, whatever the form of its error', () => {
  const failed = sampleExchange({
    method: 'GET',
    path: '/admin/health',
    status: 500,
    body: { error: 'no' },
  });
  expect([repeats(failed), repeats(failed, 1)]).toEqual([true, false]);
});

test('a rate limit of a general key is waited out, one of a key that is spent is not', () => {
  const limited = (credential: string) =>
    sampleError(429, 'rate_limit_exceeded', 'router', { credential });
  expect([repeats(limited('client')), repeats(limited('requestsPerMinute'))]).toEqual([
    true,
    false,
  ]);
});

test('an empty request bucket of a key that is about something else is waited out, and judged in the end', () => {
  const limited = (credential: string, left: string) =>
    sampleError(429, 'rate_limit_exceeded', 'router', {
      credential,
      headers: [
        ['Content-Type', 'application/json'],
        ['X-RateLimit-Remaining-Requests', left],
      ],
    });
  expect(repeats(limited('tokensPerDay[3]', '0'))).toBe(true);
  expect(repeats(limited('tokensPerDay[3]', '0'), 7)).toBe(false);
  expect(repeats(limited('tokensPerDay[3]', '7'))).toBe(false);
  expect(repeats(limited('requestsPerMinute', '0'))).toBe(false);
});
