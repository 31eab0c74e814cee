import { expect, test } from 'vitest';
import { sampleError, sampleExchange } from '../../checks/router/sample.test.support.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { firstAnswer } from './provoke.ts';

const served = sampleExchange();
const limited = (left?: string) =>
  sampleError(429, 'rate_limit_exceeded', 'router', {
    headers: left === undefined ? [] : [['X-RateLimit-Remaining-Requests', left]],
  });

/** What `firstAnswer` returns for a first response, when a repeated request is served. */
async function taken(first: Exchange): Promise<Exchange> {
  return firstAnswer(async ({ repeat }) => (repeat === false ? first : served));
}

test('a refusal that does not speak of requests is taken as it is', async () => {
  for (const first of [limited(), limited('7'), served]) expect(await taken(first)).toBe(first);
});

test('a key that is out of requests is waited for', async () => {
  expect(await taken(limited('0'))).toBe(served);
});

test('a failure inside the router is passed over once', async () => {
  const failure = sampleError(500, 'backend_error');
  const answers = [failure, limited(), failure, failure, served];
  const next = async () => Promise.resolve(answers.shift() ?? served);
  expect(await firstAnswer(next)).toMatchObject({ response: { status: 429 } });
  expect(await firstAnswer(next)).toMatchObject({ response: { status: 500 } });
});
