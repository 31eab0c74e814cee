import { describe, expect, test } from 'vitest';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { Exchange, HeaderLines } from '../../exchange/exchange.ts';
import { challenge, id, json, judged, sampleError, sampleExchange } from './sample.test.support.ts';
import { nothingKnown } from './route.ts';

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
