import { describe, expect, test } from 'vitest';
import { codeTable, isRouterCode } from '../../../schemas/router/codes.ts';
import { Secret } from '../../target/keys.ts';
import {
  forwardedBesideRow,
  foundNoRoom,
  isInternalFailure,
  mayBeProxyAnswer,
  mayBeServerAnswer,
} from './envelope.ts';
import {
  challenge,
  id,
  judged,
  sampleError,
  sampleExchange,
  testAnswers,
  testUniversal,
  withHeaders,
} from './sample.test.support.ts';

describe('the envelope', () => {
  const failure = (body: unknown, status = 500) => sampleExchange({ status, body });
  const having = (error: object, status?: number) =>
    failure({ error: { code: 'backend_error', message: '', source: 'router', ...error } }, status);
  const html = { headers: [id, ['Content-Type', 'text/html']] } as const;
  const proper = { request: 'abc', requestHeaders: [['Content-Length', '3']] } as const;
  const members = ['object', 'code', 'message', 'source', 'content-type'] as const;
  const codes = ['request_invalid-status', 'request_invalid-source', 'known-codes'] as const;
  testUniversal([
    [
      'is whole',
      sampleError(400, 'request_invalid'),
      [],
      [
        ...members.map((one) => `envelope.${one}` as const),
        ...codes.map((one) => `codes.${one}` as const),
      ],
    ],
    ['is plain text', failure('Not Found'), ['envelope.object']],
    ['has an error that is text', failure({ error: 'no' }), ['envelope.object']],
    ['is a list', failure([{ error: {} }]), ['envelope.object']],
    ['has a number', having({ code: 1 }), ['envelope.code']],
    ['has no message', having({ message: undefined }), ['envelope.message']],
    [
      'has another source',
      having({ source: 'engine' }),
      ['envelope.source'],
      ['codes.known-codes', 'codes.backend_error-status'],
    ],
    [
      'has another source, which no row of its code has either',
      having({ code: 'model_not_found', source: 'gateway' }, 404),
      ['envelope.source', 'codes.model_not_found-source'],
      ['codes.known-codes', 'codes.model_not_found-status'],
    ],
    [
      'is labelled HTML',
      sampleError(400, 'request_invalid', 'router', html),
      ['envelope.content-type'],
    ],
    ['is owed', sampleExchange({ status: 400, body: '', ...proper }), ['envelope.object']],
  ]);

  const GET = { method: 'GET' } as const;
  test.for([
    ['an unregistered path', { path: '/v1/nothing', status: 404, body: 'no' }],
    ['the unsupported route', { path: '/v1/responses', status: 404, body: 'no' }],
    ['another method', { method: 'DELETE', path: '/v1/models', status: 405, body: '' }],
    ['an administrator', { ...GET, path: '/admin/health', status: 500, body: { error: 'x' } }],
    ['a model id with a slash', { ...GET, path: '/v1/models/a%2Fb', status: 404, body: 'no' }],
    ['a 400 to a path that is no URL', { ...GET, path: '/v1/models/%zz', status: 400, body: '' }],
    ['a length that lies', { status: 400, body: '', requestHeaders: [['Content-Length', '9']] }],
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
    // A credential is recorded as its placeholder, which does not make the request odd.
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
    ['a page of what limits its clients', { status: 429 }, true],
    ['a request id', { headers: [['X-Request-ID', 'b3c1']] }, false],
    ['the envelope', { body: '{"error":{"code":"backend_error"}}' }, false],
    ['a failure of its own', { status: 500 }, false],
  ] as const)('may be that of a proxy in front: %s', ([, parts, expected]) => {
    expect(mayBeProxyAnswer(sampleExchange({ ...page, ...parts }))).toBe(expected);
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

test.each(Object.keys(codeTable).filter(isRouterCode))('%s agrees with its row', (code) => {
  const [status = 0] = codeTable[code].statuses;
  const [source] = codeTable[code].sources;
  const waits = code === 'concurrency_limit_exceeded' ? [['Retry-After', '1'] as const] : [];
  const headers = withHeaders(challenge, ...waits);
  const brokenBy = (said: number, by = source) =>
    judged(sampleError(said, code, by, { headers })).broken;
  expect(brokenBy(status)).toEqual([]);
  expect(brokenBy(418)).toEqual([`router.codes.${code}-status`]);
  if (code === 'backend_error') return;
  const other = source === 'router' ? 'backend' : 'router';
  expect(brokenBy(status, other)).toContain(`router.codes.${code}-source`);
});

describe('the table', () => {
  const LIMIT = 'codes.rate_limit_exceeded-status';
  const timeout = sampleError(408, 'request_timeout');
  const elsewhere = sampleError(408, 'request_timeout', 'router', { path: '/other' });
  const proxied = sampleError(503, 'rate_limit_exceeded', 'router', { path: '/v1/embeddings' });
  const native = sampleError(503, 'rate_limit_exceeded');
  const inside = sampleError(500, 'backend_error', 'backend');
  const mayBe = (forwarded: boolean) => ({ mayBeForwarded: () => forwarded });
  const text = sampleError(400, 'request_invalid', 'router', {
    path: '/v1/messages',
    headers: [id, ['Content-Type', 'text/plain']],
  });
  testUniversal([
    ['has a label of its own', text, ['envelope.content-type'], [], mayBe(false)],
    ['has the label that an engine gave it', text, [], [], mayBe(true)],
    ['holds for an envelope of any status', timeout, ['codes.request_timeout-status']],
    ['says nothing of what a server calls invalid', sampleError(431, 'request_invalid'), []],
    ['says nothing of the code of a server', sampleError(408, 'timeout'), []],
    ['says nothing of other paths', elsewhere, []],
    ['knows no such code', sampleError(400, 'teapot'), ['codes.known-codes']],
    ['holds for a failure that was forwarded', inside, ['codes.backend_error-forwarded-status']],
    ['holds where nothing is forwarded', proxied, [LIMIT], [], mayBe(false)],
    ['says nothing of what may be forwarded', proxied, [], [], mayBe(true)],
    ['says nothing of a router behind the router', proxied, []],
    ['holds on the native route', native, [LIMIT], [], mayBe(true)],
  ]);
});

describe('a 413', () => {
  const STATUS = 'codes.context_length_exceeded-status';
  const text = JSON.stringify({ model: 'scripted-chat', messages: [] });
  const to = (body: string, requestHeaders: readonly (readonly [string, string])[] = []) =>
    sampleError(413, 'context_length_exceeded', 'backend', { request: body, requestHeaders });
  const chunked = [['Transfer-Encoding', 'chunked']] as const;
  const within = { maxRequestBytes: 1_048_576 };
  const plain = sampleExchange({ status: 413, body: 'too large' });
  testUniversal([
    ['for a small body is an error like any other', to(text), [STATUS], [], within],
    ['where there is no limit, too', to(text), [STATUS], [], { maxRequestBytes: 0 }],
    ['where no limit is known may hold anything', to(text), []],
    ['over the limit may', to(text), [], [], { maxRequestBytes: text.length - 1 }],
    ['for a large body may', to(' '.repeat(5_000)), [], [], within],
    ['for a body of unknown size may', to(text, chunked), [], [], within],
    ['for no body at all may', plain, [], [], within],
  ]);
});

testAnswers(
  [
    [
      'a status beside the row of its code',
      forwardedBesideRow,
      '| odd | overBudget wrapped served',
    ],
  ],
  {
    odd: sampleError(502, 'token_limit_exceeded'),
    wrapped: sampleError(502, 'backend_error'),
  },
);

describe('a 401', () => {
  const refusal = (challenged: string, code = 'unauthorized', source = 'router') =>
    sampleError(401, code, source, { headers: withHeaders(['WWW-Authenticate', challenged]) });
  const good = 'Bearer realm="router"';
  const admin = { method: 'GET', path: '/admin/other', status: 401, body: { error: 'no' } };
  const CHALLENGE = 'response-headers.challenge-on-client-routes';
  const REALM = 'authentication.challenge-realm';
  const CODE = 'authentication.refusal-code';
  const SOURCE = 'authentication.refusal-source';
  const MESSAGE = 'authentication.refusal-message';
  const forbidden = refusal(good, 'model_forbidden');
  const byEngine = refusal(good, 'unauthorized', 'backend');
  testUniversal([
    ['is whole', refusal(good), [], [CODE, SOURCE, MESSAGE, REALM, CHALLENGE]],
    ['has another code', forbidden, [CODE, MESSAGE, 'codes.model_forbidden-status'], [SOURCE]],
    ['has another source', byEngine, [SOURCE, 'codes.unauthorized-source']],
    ['is of an engine', refusal(good, 'backend_error', 'backend'), ['codes.backend_error-status']],
    ['has no challenge', sampleError(401, 'unauthorized'), [CHALLENGE]],
    ['has another scheme', refusal('Basic realm="router"'), [CHALLENGE]],
    ['has no realm', refusal('Bearer error="x"'), [REALM]],
    ['has an empty realm', refusal('Bearer realm=""'), [REALM]],
    ['of an administrator', sampleExchange(admin), ['response-headers.challenge-on-admin-routes']],
  ]);
});
