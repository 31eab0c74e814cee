import { describe, expect, test } from 'vitest';
import { Secret } from '../../target/keys.ts';
import { foundNoRoom, isInternalFailure, mayBeFrontAnswer, mayBeServerAnswer } from './envelope.ts';
import { id, judged, sampleError, sampleExchange, testUniversal } from './sample.test.support.ts';

describe('the envelope', () => {
  const failure = (body: unknown) => sampleExchange({ status: 500, body });
  const labelled = { headers: [id, ['Content-Type', 'text/html']] } as const;
  const proper = { request: 'abc', requestHeaders: [['Content-Length', '3']] } as const;
  testUniversal([
    [
      'is whole',
      sampleError(400, 'request_invalid'),
      [],
      [
        'envelope.object',
        'envelope.code',
        'envelope.message',
        'envelope.source',
        'envelope.content-type',
        'codes.request_invalid-status',
        'codes.request_invalid-source',
        'codes.known-codes',
      ],
    ],
    ['is plain text', failure('Not Found'), ['envelope.object']],
    ['has an error that is text', failure({ error: 'no' }), ['envelope.object']],
    ['is a list', failure([{ error: {} }]), ['envelope.object']],
    [
      'has a number',
      failure({ error: { code: 1, message: '', source: 'router' } }),
      ['envelope.code'],
    ],
    [
      'has no message',
      failure({ error: { code: 'backend_error', source: 'router' } }),
      ['envelope.message'],
    ],
    [
      'has another source',
      failure({ error: { code: 'backend_error', message: '', source: 'engine' } }),
      ['envelope.source'],
      ['codes.known-codes', 'codes.backend_error-status'],
    ],
    [
      'has another source, which no row of its code has either',
      sampleExchange({
        status: 404,
        body: { error: { code: 'model_not_found', message: '', source: 'gateway' } },
      }),
      ['envelope.source', 'codes.model_not_found-source'],
      ['codes.known-codes', 'codes.model_not_found-status'],
    ],
    [
      'has another label',
      sampleError(400, 'request_invalid', 'router', labelled),
      ['envelope.content-type'],
    ],
    [
      'is owed after a proper request',
      sampleExchange({ status: 400, body: '', ...proper }),
      ['envelope.object'],
    ],
  ]);

  const GET = { method: 'GET' } as const;
  test.for([
    ['an unregistered path', { path: '/v1/nothing', status: 404, body: 'no' }],
    ['the unsupported route', { path: '/v1/responses', status: 404, body: 'no' }],
    ['another method', { method: 'DELETE', path: '/v1/models', status: 405, body: '' }],
    [
      'an administrator route',
      { ...GET, path: '/admin/health', status: 500, body: { error: 'x' } },
    ],
    ['a model id with a slash', { ...GET, path: '/v1/models/a%2Fb', status: 404, body: 'no' }],
    ['a 400 to a path that is no URL', { ...GET, path: '/v1/models/%zz', status: 400, body: '' }],
    [
      'a 400 to a length that lies',
      { status: 400, body: '', requestHeaders: [['Content-Length', '9']] },
    ],
    ['a 413', { status: 413, body: 'too large' }],
    ['a body that did not arrive whole', { status: 500, body: '{"err', ending: 'cut-short' }],
    ['a 431 of the HTTP server', { status: 431, body: '' }],
  ] as const)('is not owed by %s', ([, parts]) => {
    const { held, broken } = judged(sampleExchange(parts));
    expect(broken).toEqual([]);
    expect(held.filter((requirement) => requirement.startsWith('router.envelope'))).toEqual([]);
  });
});

describe('the answer of a server before the router', () => {
  const credential = `Bearer ${String(new Secret('key:client', 'secret'))}`;
  test.for([
    [400, 'X-Note', 'plain', false],
    [200, 'X-Note', 'plain', false],
    // A credential is recorded by its name, which makes no request odd.
    [400, 'Authorization', credential, false],
    [400, 'X-Note', 'é', true],
    [400, 'X-Note', 'a\u0001b', true],
    [400, 'X Note', 'plain', true],
    [400, 'Transfer-Encoding', 'chunked', true],
    [400, 'Content-Length', '7', true],
    ...[408, 411, 414, 431].map((status) => [status, 'X-Note', 'plain', true] as const),
  ] as const)('a %i after %s: %s', ([status, name, value, expected]) => {
    const exchange = sampleExchange({ status, requestHeaders: [[name, value]] });
    expect(mayBeServerAnswer(exchange)).toBe(expected);
  });

  const page = { status: 502, headers: [], body: '<h1>Bad Gateway</h1>' } as const;
  test.for([
    ['a page', {}, true],
    ['a request id', { headers: [['X-Request-ID', 'b3c1']] }, false],
    ['the envelope', { body: '{"error":{"code":"backend_error"}}' }, false],
    ['a failure of its own', { status: 500 }, false],
  ] as const)('may be that of a proxy in front: %s', ([, parts, expected]) => {
    expect(mayBeFrontAnswer(sampleExchange({ ...page, ...parts }))).toBe(expected);
  });

  test.for([0, 1, 2])("is the deployment's own the third time in a row: %i", (retries) => {
    expect(mayBeServerAnswer({ ...sampleExchange(page), retries })).toBe(retries < 2);
  });
});

test.for([
  [200, '', false, false],
  [503, 'no_capacity', true, false],
  [429, 'concurrency_limit_exceeded', true, false],
  [500, 'backend_error', false, true],
  [502, 'backend_error', false, false],
  [400, 'request_invalid', false, false],
] as const)('%i %s finds no room, or fails inside', ([status, code, noRoom, failure]) => {
  const exchange = sampleError(status, code);
  expect([foundNoRoom(exchange), isInternalFailure(exchange)]).toEqual([noRoom, failure]);
});
