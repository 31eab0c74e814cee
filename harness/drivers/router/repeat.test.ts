import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import {
  sampleError,
  sampleExchange,
  withHeaders,
} from '../../checks/router/sample.test.support.ts';
import { routerRepeat } from './repeat.ts';

const limited = (credential: string, left?: string) =>
  sampleError(429, 'rate_limit_exceeded', 'router', {
    credential,
    headers: withHeaders(
      ...(left === undefined ? [] : [['X-RateLimit-Remaining-Requests', left] as const]),
    ),
  });
const failed = sampleError(500, 'backend_error');
const scripted = { messages: [{ role: 'user', content: 'Hello. [[plumbline:7]]' }] };
const health = { method: 'GET', path: '/admin/health', status: 500, body: { error: 'no' } };

test.for<readonly [what: string, answer: Exchange, attempt: number, repeats: boolean]>([
  ['an internal failure', failed, 0, true],
  ['a second internal failure', failed, 1, false],
  ['a failure of an engine', sampleError(502, 'backend_error'), 0, false],
  ['a refusal', sampleError(400, 'request_invalid'), 0, false],
  [
    'what a script answers',
    sampleError(500, 'backend_error', 'router', { request: scripted }),
    0,
    false,
  ],
  // Whatever the form of its error.
  ['a read that fails', sampleExchange(health), 0, true],
  ['a read that fails again', sampleExchange(health), 1, false],
  ['the rate limit of a general key', limited('client'), 0, true],
  ['that of a key that is spent', limited('requestsPerMinute'), 0, false],
  ['an empty bucket of a key about something else', limited('tokensPerDay[3]', '0'), 0, true],
  // It is judged in the end.
  ['an empty bucket, time and again', limited('tokensPerDay[3]', '0'), 7, false],
  ['a bucket that is not empty', limited('tokensPerDay[3]', '7'), 0, false],
  ['an empty bucket of a key that is spent', limited('requestsPerMinute', '0'), 0, false],
])('whether %s is sent again', ([, answer, attempt, repeats]) => {
  expect(routerRepeat(answer, attempt) !== undefined).toBe(repeats);
});
