import { describe, expect, test } from 'vitest';
import { judged, sampleError, withHeaders } from './sample.test.support.ts';
import type { RouterKnowledge } from './route.ts';

describe('Retry-After', () => {
  const plain: RouterKnowledge = { plainCredentials: ['client'], plainModels: ['chat'] };
  const limited = (value: string | undefined, credential: string, model: string) =>
    sampleError(429, 'rate_limit_exceeded', 'router', {
      credential,
      request: { model },
      headers: value === undefined ? withHeaders() : withHeaders(['Retry-After', value]),
    });

  test.each(['0', '1', '30'])('%s is a number of seconds', (value) => {
    const exchange = sampleError(429, 'concurrency_limit_exceeded', 'router', {
      headers: withHeaders(['Retry-After', value]),
    });
    const { held, broken } = judged(exchange);
    expect(held).toContain('router.response-headers.retry-after-on-concurrency');
    expect(broken).toEqual(value === '1' ? [] : ['router.response-headers.retry-after-value']);
  });

  test.each(['1.5', '-1', 'Wed, 21 Oct 2026 07:28:00 GMT', ''])('%j is none', (value) => {
    const exchange = sampleError(429, 'concurrency_limit_exceeded', 'router', {
      headers: withHeaders(['Retry-After', value]),
    });
    expect(judged(exchange).broken).toEqual(['router.response-headers.retry-after-on-concurrency']);
    expect(judged(limited(value, 'serverless', 'other'), plain).broken).toEqual([
      'router.response-headers.retry-after-seconds',
    ]);
  });

  test('must be there on concurrency_limit_exceeded', () => {
    expect(judged(sampleError(429, 'concurrency_limit_exceeded')).broken).toEqual([
      'router.response-headers.retry-after-on-concurrency',
    ]);
  });

  test('may stand on a rate limit unless key and model are known to be plain', () => {
    expect(judged(limited('1', 'client', 'chat'), plain).broken).toEqual([
      'router.response-headers.no-retry-after-on-plain-rate-limit',
    ]);
    expect(judged(limited(undefined, 'client', 'chat'), plain).held).toContain(
      'router.response-headers.no-retry-after-on-plain-rate-limit',
    );
    expect(judged(limited('1', 'client', 'other'), plain).broken).toEqual([]);
    expect(judged(limited('1', 'serverless', 'chat'), plain).broken).toEqual([]);
  });

  test('stands on no other error of the router, and may survive on one of the engine', () => {
    const headers = withHeaders(['Retry-After', '1']);
    expect(judged(sampleError(503, 'no_capacity', 'router', { headers })).broken).toEqual([
      'router.response-headers.no-retry-after-elsewhere',
    ]);
    expect(judged(sampleError(503, 'no_capacity')).held).toContain(
      'router.response-headers.no-retry-after-elsewhere',
    );
    expect(judged(sampleError(503, 'backend_unavailable', 'backend', { headers })).broken).toEqual(
      [],
    );
  });
});
