import { describe, expect, test } from 'vitest';
import {
  actionRecord,
  exchangeOf,
  type MadeExchange,
  verdictsOf,
} from './exchange.test.support.ts';

function refusal(status: number, code: unknown, change: object = {}, more: MadeExchange = {}) {
  return exchangeOf({
    status,
    body: { error: { code, message: 'no', request_id: 'r-1', ...change } },
    headers: [
      ['content-type', 'application/json'],
      ['retry-after', '1'],
    ],
    ...more,
  });
}

const saidOf = (status: number, code: unknown, change?: object) =>
  verdictsOf(refusal(status, code, change));

describe('status and code', () => {
  const pairs = [
    [400, 'VALIDATION_ERROR', 'validation-error'],
    [401, 'UNAUTHORIZED', 'unauthorized'],
    [403, 'FORBIDDEN', 'forbidden'],
    [404, 'NOT_FOUND', 'not-found'],
    [429, 'TOO_MANY_REQUESTS', 'too-many-requests'],
    [500, 'INTERNAL_ERROR', 'internal-error'],
  ] as const;

  test.for(pairs)('%i with %s holds both ways, and each breaks without the other', (pair) => {
    const [status, code, slug] = pair;
    const { seen, broken } = saidOf(status, code);
    expect(broken).toEqual([]);
    const own = `errors.status-${status}`;
    expect(seen).toEqual(expect.arrayContaining([own, `errors.code-${slug}`]));
    const [, other, otherSlug] = pairs[status === 400 ? 1 : 0];
    expect(saidOf(status, other).broken).toEqual([`errors.code-${otherSlug}`, own]);
    expect(saidOf(status, 'TEAPOT').broken).toEqual(['errors.code-known', own]);
  });

  test.for(['CONFLICT', 'VALIDATION_ERROR', 'x'])('the code %s of a 409 is open', (code) => {
    const { seen, broken } = saidOf(409, code);
    expect(seen).toContain('errors.status-409');
    expect(broken).toEqual([]);
  });

  test.for(['', null, 7])('a 409 with the code %s has none', (code) => {
    expect(saidOf(409, code).broken).toEqual(['errors.status-409']);
  });
});

describe('the envelope', () => {
  test.for([{ detail: 'no' }, { error: 'no' }, [], 'Not found'])('%j is none', (body) => {
    expect(verdictsOf(exchangeOf({ status: 404, body })).broken).toContain('errors.envelope');
  });

  test.for<readonly [object, ...string[]]>([
    [{ message: 3 }, 'errors.message-text'],
    [{ message: undefined }, 'errors.message-text'],
    [{ request_id: '' }, 'errors.request-id-text'],
    [{ request_id: 5 }, 'errors.request-id-text'],
    [{ request_id: undefined }, 'errors.request-id-text'],
    [{ details: [1] }],
  ])('with %j breaks %s', ([change, ...broken]) => {
    expect(saidOf(404, 'NOT_FOUND', change).broken).toEqual(broken);
  });

  test('with a code that stands twice has none of them', () => {
    const body = '{"error":{"code":"NOT_FOUND","message":"","request_id":"r","code":"OTHER"}}';
    const { broken } = verdictsOf(exchangeOf({ status: 404, body }));
    expect(broken).toEqual(['errors.code-known', 'errors.status-404']);
  });

  test.for([408, 413, 414, 415, 431, 502, 503, 504, 522])(
    'of a %i may be the word of something in front, and says nothing',
    (status) => {
      const html = { body: '<html>', headers: [['content-type', 'text/html']] } as const;
      expect(verdictsOf(exchangeOf({ status, ...html })).seen).toEqual([]);
      expect(saidOf(status, 'TEAPOT').broken).toEqual([]);
    },
  );

  test.for([402, 405, 406, 410, 422, 423])('of a %i, in no table, is implied', (status) => {
    const implied = ['errors.other-status-code', 'errors.other-status-envelope'];
    expect(saidOf(status, 'NOT_FOUND')).toEqual({ seen: implied, broken: [] });
    expect(saidOf(status, 'TEAPOT').broken).toEqual(['errors.other-status-code']);
    const bare = exchangeOf({ status, body: { detail: 'no' } });
    expect(verdictsOf(bare).broken).toEqual(['errors.other-status-envelope']);
  });

  const text = { body: 'no', headers: [['content-type', 'text/plain']] } as const;
  test.for([
    ['an id that is none', { path: '/instances/7', status: 404 }],
    ['a query that looks like an attack', { query: "region=' OR 1=1", status: 403 }],
    ['an escaped one', { query: 'region=%3Cscript%3E', status: 403 }],
    ['one beside half a character', { query: 'a=%E0%A4&region=%3Cscript%3E', status: 403 }],
    ['a made-up cursor', { query: 'cursor=%3Cscript%3E', status: 403 }],
    ...['region=%', 'region[]=FR', 'cursor=%z', 'cursor=%', 'region="', 'size=%09', 'a=%ff'].map(
      (query) => ['a query that is no URL', { query, status: 400 }] as const,
    ),
  ] as const)('is not asked of what may have refused %s in front: %j', ([, request]) => {
    expect(verdictsOf(exchangeOf({ ...request, ...text })).seen).toEqual([]);
    // A sender that answers with JSON knows the envelope.
    const { broken } = verdictsOf(exchangeOf({ ...request, body: { detail: 'no' } }));
    expect(broken).toEqual(['errors.envelope']);
  });

  test.for(['size=201', 'cursor=%E0%A4', 'region=a+b;c=d', ''])('is owed after %s', (query) => {
    const { broken } = verdictsOf(exchangeOf({ query, status: 400, ...text }));
    expect(broken).toEqual(['errors.envelope', 'media.error-json', 'media.error-label']);
  });

  test('of an answer that was cut, or of another path, is not judged', () => {
    const cut = exchangeOf({ status: 404, body: '{"error', ending: 'cut-short' });
    expect(verdictsOf(cut).seen).toEqual([]);
    expect(verdictsOf(exchangeOf({ path: '/keys', status: 404, body: 'no' })).seen).toEqual([]);
  });
});

describe('the media type', () => {
  const page = { data: [], pagination: { next: null, size: 50 } };
  const error = { error: { code: 'NOT_FOUND', message: '', request_id: 'r' } };
  const id = String(actionRecord()['instance_id']);
  const stop = (path: string, body?: unknown) =>
    exchangeOf({ path, method: 'POST', status: 204, headers: [], body });

  test.for([
    ['success', 200, page],
    ['error', 404, error],
  ] as const)('of a %s is JSON and says so', ([kind, status, body]) => {
    const { seen, broken } = verdictsOf(exchangeOf({ status, body }));
    expect(seen).toEqual(expect.arrayContaining([`media.${kind}-json`, `media.${kind}-label`]));
    expect(broken).toEqual([]);
  });

  const labelled = (status: number, body: unknown, label: string) =>
    exchangeOf({ status, body, headers: [['Content-Type', label]] });
  test.for([
    ['media.success-label', labelled(200, page, 'text/plain')],
    ['media.success-label', labelled(200, page, 'application/jsonp')],
    ['media.error-label', labelled(404, error, 'application/problem+json')],
    ['media.success-label', exchangeOf({ body: page, headers: [] })],
    ['media.success-json', exchangeOf({ path: '/regions', body: '{"a":' })],
    // A response to a stop without a body lacks the record, not the content type.
    ['stop-instance.response-is-instance', stop('/instances/a/stop')],
    ['media.success-label', stop(`/instances/${id}/stop`, actionRecord())],
  ] as const)('is wrong: %s', ([broken, exchange]) => {
    expect(verdictsOf(exchange).broken).toEqual([broken]);
  });

  test('a start may answer nothing, and what it answers is JSON', () => {
    const start = { path: '/instances/a/start', method: 'POST', status: 202 };
    const bindings = { start: 'POST /instances/{id}/start' };
    const said = (more: MadeExchange) =>
      verdictsOf(exchangeOf({ ...start, ...more }), { bindings });
    expect(said({ headers: [] }).seen).toEqual([]);
    expect(said({ body: [7] }).broken).toEqual([]);
    expect(said({ body: 'ok' }).broken).toEqual(['media.success-json']);
  });
});

describe('the Retry-After of a 429', () => {
  const there = 'rate-limiting.retry-after-there';
  const integer = 'rate-limiting.retry-after-integer';
  const limited = (...values: readonly string[]) => {
    const waits = values.map((value) => ['RETRY-AFTER', value] as const);
    const headers = [['content-type', 'application/json'] as const, ...waits];
    return refusal(429, 'TOO_MANY_REQUESTS', {}, { headers });
  };

  test.for(['0', '1', '3600'])('%s is a number of seconds', (value) => {
    const { seen, broken } = verdictsOf(limited(value));
    expect(seen).toEqual(expect.arrayContaining([there, integer]));
    expect(broken).toEqual([]);
  });

  test.for(['Wed, 21 Oct 2026 07:28:00 GMT', '1.5', '-1', '', 'soon'])('"%s" is none', (value) => {
    expect(verdictsOf(limited(value)).broken).toEqual([integer]);
  });

  test('is there, also where the body was cut, and not asked of other answers', () => {
    expect(verdictsOf(limited()).broken).toEqual([there]);
    expect(verdictsOf({ ...limited(), ending: 'reset' }).broken).toEqual([there]);
    expect(verdictsOf(exchangeOf({ status: 404, body: {} })).seen).not.toContain(there);
  });
});
