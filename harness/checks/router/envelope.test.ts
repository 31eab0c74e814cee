import { describe, expect, test } from 'vitest';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { id, judged, sampleError, sampleExchange } from './sample.test.support.ts';
import { Secret } from '../../target/keys.ts';
import { foundNoRoom, isInternalFailure, mayBeFrontAnswer, mayBeServerAnswer } from './envelope.ts';

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

const answered = (status: number, name = 'X-Note', value = 'plain') =>
  mayBeServerAnswer(sampleExchange({ status, requestHeaders: [[name, value]] }));

test('a plain request is answered by the router, also when it is refused', () => {
  expect(answered(400)).toBe(false);
  expect(answered(200)).toBe(false);
});

test('a credential is recorded by its name, which makes no request odd', () => {
  const value = `Bearer ${String(new Secret('key:client', 'secret'))}`;
  expect(answered(400, 'Authorization', value)).toBe(false);
});

test.each([
  ['X-Note', 'é'],
  ['X-Note', 'a\u0001b'],
  ['X Note', 'plain'],
  ['Transfer-Encoding', 'chunked'],
  ['Content-Length', '7'],
])('a 400 after the header %j: %j may be that of the server', (name, value) => {
  expect(answered(400, name, value)).toBe(true);
});

test.each([408, 411, 414, 431])('a %i may always be that of the server', (status) => {
  expect(answered(status)).toBe(true);
});

const page = { status: 502, headers: [], body: '<h1>Bad Gateway</h1>' } as const;

test('a 502 without request id and envelope may be that of a proxy in front', () => {
  expect(mayBeFrontAnswer(sampleExchange(page))).toBe(true);
  expect(mayBeServerAnswer(sampleExchange(page))).toBe(true);
});

test("what has a mark of the router is the router's own", () => {
  const headers = [['X-Request-ID', 'b3c1']] as const;
  expect(mayBeFrontAnswer(sampleExchange({ ...page, headers }))).toBe(false);
  const body = '{"error":{"code":"backend_error"}}';
  expect(mayBeFrontAnswer(sampleExchange({ ...page, body }))).toBe(false);
  expect(mayBeFrontAnswer(sampleExchange({ ...page, status: 500 }))).toBe(false);
});

test("what a proxy might have answered is the deployment's own the third time in a row", () => {
  const again = (retries: number) => ({ ...sampleExchange(page), retries });
  expect(mayBeServerAnswer(again(1))).toBe(true);
  expect(mayBeServerAnswer(again(2))).toBe(false);
});

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
