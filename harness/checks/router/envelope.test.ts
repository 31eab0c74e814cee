import { describe, expect, test } from 'vitest';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { id, judged, sampleError, sampleExchange } from './sample.test.support.ts';

describe('the envelope', () => {
  test('a whole envelope holds', () => {
    const { held, broken } = judged(sampleError(400, 'request_invalid'));
    expect(broken).toEqual([]);
    expect(held).toEqual(
      expect.arrayContaining([
        'router.envelope.object',
        'router.envelope.code',
        'router.envelope.message',
        'router.envelope.source',
        'router.envelope.content-type',
        'router.codes.request_invalid-status',
        'router.codes.request_invalid-source',
        'router.codes.known-codes',
      ]),
    );
  });

  test.each<[string, unknown, RouterRequirementId]>([
    ['plain text', 'Not Found', 'router.envelope.object'],
    ['an error that is text', { error: 'no' }, 'router.envelope.object'],
    ['a list', [{ error: {} }], 'router.envelope.object'],
    [
      'a code that is a number',
      { error: { code: 1, message: '', source: 'router' } },
      'router.envelope.code',
    ],
    [
      'no message',
      { error: { code: 'backend_error', source: 'router' } },
      'router.envelope.message',
    ],
    [
      'another source',
      { error: { code: 'backend_error', message: '', source: 'engine' } },
      'router.envelope.source',
    ],
  ])('%s breaks it', (_, body, requirement) => {
    expect(judged(sampleExchange({ status: 500, body })).broken).toEqual([requirement]);
  });

  test('a label other than JSON is noticed', () => {
    const exchange = sampleError(400, 'request_invalid', 'router', {
      headers: [id, ['Content-Type', 'text/html']],
    });
    expect(judged(exchange).broken).toEqual(['router.envelope.content-type']);
  });

  test.each<[string, Exchange]>([
    ['an unregistered path', sampleExchange({ path: '/v1/nothing', status: 404, body: 'no' })],
    ['the unsupported route', sampleExchange({ path: '/v1/responses', status: 404, body: 'no' })],
    [
      'another method',
      sampleExchange({ method: 'DELETE', path: '/v1/models', status: 405, body: '' }),
    ],
    [
      'an administrator route',
      sampleExchange({ method: 'GET', path: '/admin/health', status: 500, body: { error: 'x' } }),
    ],
    [
      'a model id with an encoded slash',
      sampleExchange({ method: 'GET', path: '/v1/models/a%2Fb', status: 404, body: 'no' }),
    ],
    [
      'a 400 to a path that is no URL',
      sampleExchange({ method: 'GET', path: '/v1/models/%zz', status: 400, body: '' }),
    ],
    [
      'a 400 to a header beyond ASCII',
      sampleExchange({ status: 400, body: '', requestHeaders: [['X-Note', 'ä']] }),
    ],
    ['a 413', sampleExchange({ status: 413, body: 'too large' })],
    [
      'a body that did not arrive whole',
      sampleExchange({ status: 500, body: '{"err', ending: 'cut-short' }),
    ],
    ['a 431 of the HTTP server', sampleExchange({ status: 431, body: '' })],
    [
      'a 400 to a length that lies',
      sampleExchange({
        status: 400,
        body: '',
        request: 'abc',
        requestHeaders: [['Content-Length', '9']],
      }),
    ],
  ])('nothing is owed by %s', (_, exchange) => {
    const { held, broken } = judged(exchange);
    expect(broken).toEqual([]);
    expect(held.filter((requirement) => requirement.startsWith('router.envelope'))).toEqual([]);
  });

  test('a plain 400 to a proper request is no exception', () => {
    const exchange = sampleExchange({
      status: 400,
      body: '',
      request: 'abc',
      requestHeaders: [['Content-Length', '3']],
    });
    expect(judged(exchange).broken).toEqual(['router.envelope.object']);
  });
});
