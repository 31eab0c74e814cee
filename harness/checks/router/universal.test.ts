import { describe, expect, test } from 'vitest';
import { routerCatalogue, type RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { codeTable, isRouterCode } from '../../../schemas/router/codes.ts';
import type { Exchange, HeaderLines } from '../../exchange/exchange.ts';
import { nothingKnown, type RouterKnowledge } from './knowledge.ts';
import { SAMPLE_ID, sampleError, sampleExchange, withoutResponse } from './sample-exchange.ts';
import { universalRouterCheck } from './universal.ts';

function judged(exchange: Exchange, knowledge: RouterKnowledge = nothingKnown) {
  const held = new Set<RouterRequirementId>();
  const broken = new Set<RouterRequirementId>();
  for (const { requirement, judgement } of universalRouterCheck(exchange, knowledge)) {
    expect(judgement.seen).toBeGreaterThan(0);
    (judgement.violations.length > 0 ? broken : held).add(requirement);
  }
  return { held: [...held], broken: [...broken] };
}

const json: readonly [string, string] = ['Content-Type', 'application/json'];
const id: readonly [string, string] = ['X-Request-ID', SAMPLE_ID];
const challenge: readonly [string, string] = ['WWW-Authenticate', 'Bearer realm="router"'];
const withHeaders = (...more: HeaderLines): HeaderLines => [json, id, ...more];

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

describe('codes', () => {
  test.each(Object.keys(codeTable).filter(isRouterCode))('%s agrees with its row', (code) => {
    const [status = 0] = codeTable[code].statuses;
    const [source] = codeTable[code].sources;
    const headers = withHeaders(
      challenge,
      ...(code === 'concurrency_limit_exceeded' ? [['Retry-After', '1'] as const] : []),
    );
    const right = judged(sampleError(status, code, source, { headers }));
    expect(right.broken).toEqual([]);
    expect(right.held).toContain(`router.codes.${code}-status`);
    expect(judged(sampleError(418, code, source, { headers })).broken).toEqual([
      `router.codes.${code}-status`,
    ]);
    if (code === 'backend_error') return;
    const other = source === 'router' ? 'backend' : 'router';
    expect(judged(sampleError(status, code, other, { headers })).broken).toContain(
      `router.codes.${code}-source`,
    );
  });

  test('an unknown code is noticed, and only implied', () => {
    const { broken } = judged(sampleError(400, 'teapot'));
    expect(broken).toEqual(['router.codes.known-codes']);
    expect(routerCatalogue['router.codes.known-codes'].strength).toBe('implied');
  });

  test('a forwarded envelope is not held to the table', () => {
    const exchange = sampleError(503, 'rate_limit_exceeded', 'backend', { path: '/v1/embeddings' });
    expect(judged(exchange).broken.length).toBeGreaterThan(0);
    expect(judged(exchange, { ...nothingKnown, mayBeForwarded: () => true }).broken).toEqual([]);
  });

  test('the native route forwards no envelope', () => {
    const exchange = sampleError(503, 'rate_limit_exceeded', 'router');
    expect(judged(exchange, { ...nothingKnown, mayBeForwarded: () => true }).broken).toEqual([
      'router.codes.rate_limit_exceeded-status',
    ]);
  });
});

describe('a 401', () => {
  const headers = withHeaders(challenge);

  test('with everything holds', () => {
    const { held, broken } = judged(sampleError(401, 'unauthorized', 'router', { headers }));
    expect(broken).toEqual([]);
    expect(held).toEqual(
      expect.arrayContaining([
        'router.authentication.refusal-code',
        'router.authentication.refusal-source',
        'router.authentication.challenge-realm',
        'router.response-headers.challenge-on-client-routes',
        'router.response-headers.request-id-on-unauthorized',
      ]),
    );
  });

  test.each<[string, Exchange, RouterRequirementId]>([
    [
      'another code',
      sampleError(401, 'model_forbidden', 'router', { headers }),
      'router.authentication.refusal-code',
    ],
    [
      'another source',
      sampleError(401, 'unauthorized', 'backend', { headers }),
      'router.authentication.refusal-source',
    ],
    [
      'no challenge',
      sampleError(401, 'unauthorized'),
      'router.response-headers.challenge-on-client-routes',
    ],
    [
      'another scheme',
      sampleError(401, 'unauthorized', 'router', {
        headers: withHeaders(['WWW-Authenticate', 'Basic realm="router"']),
      }),
      'router.response-headers.challenge-on-client-routes',
    ],
    [
      'no realm',
      sampleError(401, 'unauthorized', 'router', {
        headers: withHeaders(['WWW-Authenticate', 'Bearer error="x"']),
      }),
      'router.authentication.challenge-realm',
    ],
    [
      'an empty realm',
      sampleError(401, 'unauthorized', 'router', {
        headers: withHeaders(['WWW-Authenticate', 'Bearer realm=""']),
      }),
      'router.authentication.challenge-realm',
    ],
    [
      'no challenge on an administrator path',
      sampleExchange({ method: 'GET', path: '/admin/other', status: 401, body: { error: 'no' } }),
      'router.response-headers.challenge-on-admin-routes',
    ],
  ])('with %s is noticed', (_, exchange, requirement) => {
    expect(judged(exchange).broken).toContain(requirement);
  });
});

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
    expect(broken).toEqual([]);
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

describe('a chat stream', () => {
  const stream = (body: string, parts: Partial<Parameters<typeof sampleExchange>[0]> = {}) =>
    sampleExchange({
      request: { stream: true },
      headers: [['Content-Type', 'text/event-stream'], id],
      body,
      ...parts,
    });

  test('holds', () => {
    const { held, broken } = judged(stream(': hi\n\ndata: {"a":1}\r\n\r\ndata: [DONE]\n\n'));
    expect(broken).toEqual([]);
    expect(held).toEqual(
      expect.arrayContaining(['router.streaming.content-type', 'router.streaming.events-parse']),
    );
    expect(held).not.toContain('router.streaming.no-envelope-in-stream');
  });

  test('may end early, inside an event', () => {
    const { held, broken } = judged(stream('data: {"a":1}\n\ndata: {"b', { ending: 'reset' }));
    expect(broken).toEqual([]);
    expect(held).toContain('router.streaming.no-envelope-in-stream');
  });

  test('with another label is noticed', () => {
    expect(judged(stream('{}', { headers: [json, id] })).broken).toEqual([
      'router.streaming.content-type',
    ]);
  });

  test('with bare JSON inside is noticed', () => {
    expect(judged(stream('data: 1\n\n{"a":1}\n')).broken).toEqual([
      'router.streaming.events-parse',
    ]);
  });

  const envelope = JSON.stringify({
    error: { code: 'backend_error', message: 'm', source: 'backend' },
  });
  test.each([`data: 1\n\ndata: ${envelope}\n\n`, `data: 1\n\ndata: ${envelope}`])(
    'with an envelope inside is noticed: %j',
    (body) => {
      expect(judged(stream(body)).broken).toEqual(['router.streaming.no-envelope-in-stream']);
    },
  );

  test('is only what was asked to stream on the native route and began', () => {
    expect(judged(sampleExchange({ request: { stream: false } })).held).not.toContain(
      'router.streaming.content-type',
    );
    const proxied = sampleExchange({ path: '/v1/messages', request: { stream: true } });
    expect(judged(proxied).broken).toEqual([]);
    expect(
      judged(sampleError(503, 'no_capacity', 'router', { request: { stream: true } })).broken,
    ).toEqual([]);
  });
});

test('an exchange without a response shows nothing', () => {
  expect(judged(withoutResponse(sampleExchange()))).toEqual({ held: [], broken: [] });
});
