import { describe, expect, test } from 'vitest';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { Exchange, HeaderLines } from '../../exchange/exchange.ts';
import { freshRequestIds, uuidDespiteClient } from './headers.ts';
import {
  challenge,
  id,
  json,
  judged,
  SAMPLE_ID,
  sampleError,
  sampleExchange,
  testVerdicts,
  withHeaders,
} from './sample.test.support.ts';
import { nothingKnown, type RouterKnowledge } from './route.ts';

const OTHER_ID = '0190a7c2-6b1e-7c3d-8e4f-000000000000';

describe('X-Request-ID', () => {
  const bare: HeaderLines = [json];

  test.each<[RouterRequirementId, Exchange]>([
    ['router.response-headers.request-id-on-success', sampleExchange({ headers: bare })],
    [
      'router.response-headers.request-id-on-stream',
      sampleExchange({
        headers: [['Content-Type', 'text/event-stream; charset=utf-8']],
        body: 'data: 1\n\n',
      }),
    ],
    [
      'router.response-headers.request-id-on-error',
      sampleError(503, 'no_capacity', 'router', { headers: bare }),
    ],
    [
      'router.response-headers.request-id-on-unauthorized',
      sampleError(401, 'unauthorized', 'router', { headers: [json, challenge] }),
    ],
    [
      'router.response-headers.request-id-on-not-found',
      sampleExchange({ path: '/elsewhere', status: 404, headers: bare }),
    ],
    [
      'router.response-headers.request-id-on-oversize',
      sampleExchange({ status: 413, headers: bare, ending: 'reset' }),
    ],
  ])('%s is noticed when it is missing, and held otherwise', (requirement, exchange) => {
    expect(judged(exchange).broken).toEqual([requirement]);
    const { response } = exchange;
    if (response === undefined) throw new Error('the sample has a response');
    const mended = { ...exchange, response: { ...response, headers: [...response.headers, id] } };
    const { held, broken } = judged(mended);
    expect(held).toContain(requirement);
    expect(broken).toEqual([]);
  });

  test('must be a UUID', () => {
    expect(judged(sampleExchange({ headers: [json, ['x-request-id', 'req-1']] })).broken).toEqual([
      'router.response-headers.request-id-uuid',
    ]);
  });

  test('stands beside that of an engine', () => {
    expect(
      judged(sampleExchange({ headers: [json, ['x-request-id', 'req-1'], id] })).broken,
    ).toEqual([]);
  });

  test.each<[string, Exchange]>([
    ['a refusal', sampleError(404, 'model_not_found', 'router', { headers: [json, id, id] })],
    [
      'a list of models',
      sampleExchange({ method: 'GET', path: '/v1/models', headers: [json, id, id] }),
    ],
  ])('must be there once on %s, which no engine had a part in', (_what, exchange) => {
    expect(judged(exchange).broken).toContain('router.response-headers.request-id-uuid');
  });

  test('may be there twice on what may come from an engine', () => {
    const lost = sampleError(503, 'no_agents_available', 'router', { headers: [json, id, id] });
    expect(judged(lost).broken).toEqual([]);
    const forwarded = sampleError(404, 'model_not_found', 'router', { headers: [json, id, id] });
    const knowledge = { ...nothingKnown, mayBeForwarded: () => true };
    expect(judged(forwarded, knowledge).broken).toEqual([]);
  });

  test('is not asked of what answers before the router', () => {
    expect(judged(sampleExchange({ status: 408, headers: bare, body: '' }))).toEqual({
      held: [],
      broken: [],
    });
  });
});

describe('request ids', () => {
  const withId = (value: string, requestHeaders: HeaderLines = []) =>
    sampleExchange({ requestHeaders, headers: [['X-Request-ID', value]] });

  const brought = withId(SAMPLE_ID, [['x-request-id', SAMPLE_ID]]);
  const again = withId(SAMPLE_ID.toUpperCase());
  testVerdicts([
    ['are fresh', 'held', freshRequestIds([withId(SAMPLE_ID), withId(OTHER_ID)])],
    ['are not given twice', 'broken', freshRequestIds([withId(SAMPLE_ID), again])],
    ['that clients brought do not count', 'unseen', freshRequestIds([withId(SAMPLE_ID), brought])],
    ['are UUIDs whatever the client sent', 'held', uuidDespiteClient(withId(OTHER_ID))],
    ['are what the client sent', 'broken', uuidDespiteClient(withId('mine'))],
    ['are not there', 'unseen', uuidDespiteClient(sampleExchange({ headers: [] }))],
  ]);
});

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

describe('other headers', () => {
  test.each<[string, string, RouterRequirementId]>([
    [
      'traceparent',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      'router.response-headers.traceparent-valid',
    ],
    [
      'traceparent',
      'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
      'router.response-headers.traceparent-valid',
    ],
    ['X-RateLimit-Remaining-Requests', '0', 'router.response-headers.remaining-requests-integer'],
    ['X-RateLimit-Remaining-Tokens', '123', 'router.response-headers.remaining-tokens-integer'],
  ])('%s: %s holds', (name, value, requirement) => {
    const { held, broken } = judged(sampleExchange({ headers: withHeaders([name, value]) }));
    expect(held).toContain(requirement);
    expect(broken).toEqual([]);
  });

  test.each<[string, string, readonly RouterRequirementId[]]>([
    [
      'traceparent',
      '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
      ['router.response-headers.traceparent-valid'],
    ],
    [
      'traceparent',
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      ['router.response-headers.traceparent-valid'],
    ],
    [
      'traceparent',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
      ['router.response-headers.traceparent-valid'],
    ],
    [
      'traceparent',
      'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      ['router.response-headers.traceparent-valid'],
    ],
    [
      'X-RateLimit-Remaining-Requests',
      '1.5',
      ['router.response-headers.remaining-requests-integer'],
    ],
    [
      'X-RateLimit-Remaining-Tokens',
      '-1',
      [
        'router.response-headers.remaining-tokens-integer',
        'router.response-headers.unlimited-not-negative',
      ],
    ],
  ])('%s: %s is noticed', (name, value, requirements) => {
    expect(judged(sampleExchange({ headers: withHeaders([name, value]) })).broken).toEqual(
      requirements,
    );
  });

  test('of an engine may stand beside those of the router', () => {
    const name = 'X-RateLimit-Remaining-Tokens';
    const headers = withHeaders([name, '5'], [name.toLowerCase(), '99']);
    expect(judged(sampleExchange({ headers })).broken).toEqual([]);
  });
});
