import { describe, expect, test } from 'vitest';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { Exchange, HeaderLines } from '../../exchange/exchange.ts';
import { challenge, id, json, judged } from './judge-sample.ts';
import { sampleError, sampleExchange } from './sample-exchange.ts';

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

  test('is not asked of what answers before the router', () => {
    expect(judged(sampleExchange({ status: 408, headers: bare, body: '' }))).toEqual({
      held: [],
      broken: [],
    });
  });
});
