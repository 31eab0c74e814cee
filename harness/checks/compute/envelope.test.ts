import { describe, expect, test } from 'vitest';
import { actionRecord, exchangeOf } from './exchange.test.support.ts';
import { verdictsOf } from './verdicts.test.support.ts';

describe('error envelope', () => {
  function refusal(status: number, code: unknown, change: Record<string, unknown> = {}) {
    return exchangeOf({
      status,
      body: { error: { code, message: 'no', request_id: 'r-1', ...change } },
      headers: [
        ['content-type', 'application/json'],
        ['retry-after', '1'],
      ],
    });
  }

  const pairs = [
    [400, 'VALIDATION_ERROR', 'validation-error'],
    [401, 'UNAUTHORIZED', 'unauthorized'],
    [403, 'FORBIDDEN', 'forbidden'],
    [404, 'NOT_FOUND', 'not-found'],
    [429, 'TOO_MANY_REQUESTS', 'too-many-requests'],
    [500, 'INTERNAL_ERROR', 'internal-error'],
  ] as const;

  describe('status and code', () => {
    test.each(pairs)('%i with %s holds both ways', (status, code, slug) => {
      const { seen, broken } = verdictsOf(refusal(status, code));
      expect(broken).toEqual([]);
      expect(seen).toContain(`errors.status-${status}`);
      expect(seen).toContain(`errors.code-${slug}`);
    });

    test.each(pairs)('%i without %s breaks the pair', (status, code) => {
      const other = pairs.find(([another]) => another !== status) ?? pairs[0];
      expect(verdictsOf(refusal(status, other[1])).broken).toEqual(
        [`errors.code-${other[2]}`, `errors.status-${status}`].toSorted(),
      );
      expect(verdictsOf(refusal(status, 'TEAPOT')).broken).toEqual([
        'errors.code-known',
        `errors.status-${status}`,
      ]);
      expect(code).not.toBe(other[1]);
    });

    test.each(['CONFLICT', 'VALIDATION_ERROR', 'x'])('the code %s of a 409 is open', (code) => {
      const { seen, broken } = verdictsOf(refusal(409, code));
      expect(seen).toContain('errors.status-409');
      expect(broken).toEqual([]);
    });

    test.each(['', null, 7])('a 409 with the code %s has none', (code) => {
      expect(verdictsOf(refusal(409, code)).broken).toEqual(['errors.status-409']);
    });
  });

  describe('the envelope', () => {
    test.each([{ detail: 'no' }, { error: 'no' }, [], 'Not found'])('%j is none', (body) => {
      expect(verdictsOf(exchangeOf({ status: 404, body })).broken).toContain('errors.envelope');
    });

    test.each([
      ['message', 3, 'errors.message-text'],
      ['message', undefined, 'errors.message-text'],
      ['request_id', '', 'errors.request-id-text'],
      ['request_id', 5, 'errors.request-id-text'],
      ['request_id', undefined, 'errors.request-id-text'],
    ])('%s %j is wrong', (member, value, requirement) => {
      expect(verdictsOf(refusal(404, 'NOT_FOUND', { [member]: value })).broken).toEqual([
        requirement,
      ]);
    });

    test('a code that stands twice with two values is none of them', () => {
      const body = '{"error":{"code":"NOT_FOUND","message":"","request_id":"r","code":"OTHER"}}';
      const { broken } = verdictsOf(exchangeOf({ status: 404, body }));
      expect(broken).toEqual(['errors.code-known', 'errors.status-404']);
    });

    test('further members are allowed', () => {
      expect(verdictsOf(refusal(404, 'NOT_FOUND', { details: [1] })).broken).toEqual([]);
    });

    test.each([408, 413, 414, 415, 431, 502, 503, 504, 522])(
      'what comes with %i may be the word of something in front, and says nothing',
      (status) => {
        const page = exchangeOf({
          status,
          body: '<html>',
          headers: [['content-type', 'text/html']],
        });
        expect(verdictsOf(page).seen).toEqual([]);
        expect(verdictsOf(refusal(status, 'TEAPOT')).broken).toEqual([]);
      },
    );

    test.each([402, 405, 406, 410, 422, 423])(
      'of a %i, which is in no table, is implied',
      (status) => {
        const implied = ['errors.other-status-code', 'errors.other-status-envelope'];
        const { seen, broken } = verdictsOf(refusal(status, 'NOT_FOUND'));
        expect({ seen, broken }).toEqual({ seen: implied, broken: [] });
        expect(verdictsOf(refusal(status, 'TEAPOT')).broken).toEqual(['errors.other-status-code']);
        const bare = exchangeOf({ status, body: { detail: 'no' } });
        expect(verdictsOf(bare).broken).toEqual(['errors.other-status-envelope']);
      },
    );

    const text = { body: 'no', headers: [['content-type', 'text/plain']] } as const;

    test.each([
      ['an id that is none', { path: '/instances/7', status: 404 }],
      ['a query that looks like an attack', { query: "region=' OR 1=1", status: 403 }],
      ['an escaped one', { query: 'region=%3Cscript%3E', status: 403 }],
      ['a query that is no URL', { query: 'region=%', status: 400 }],
    ])('is not asked of what may have refused %s in front', (_what, request) => {
      expect(verdictsOf(exchangeOf({ ...request, ...text })).seen).toEqual([]);
      // Whoever answers with JSON knows the envelope.
      const { broken } = verdictsOf(exchangeOf({ ...request, body: { detail: 'no' } }));
      expect(broken).toEqual(['errors.envelope']);
    });

    test('is asked for where an ordinary request is refused', () => {
      const { broken } = verdictsOf(exchangeOf({ query: 'size=201', status: 400, ...text }));
      expect(broken).toEqual(['errors.envelope', 'media.error-json', 'media.error-label']);
    });

    test('an answer that did not arrive whole is not judged', () => {
      const cut = exchangeOf({ status: 404, body: '{"error', ending: 'cut-short' });
      expect(verdictsOf(cut).seen).toEqual([]);
    });

    test('an error of a path that the contract does not know is not judged', () => {
      expect(verdictsOf(exchangeOf({ path: '/keys', status: 404, body: 'no' })).seen).toEqual([]);
    });
  });

  describe('a request that is no HTTP', () => {
    const asked = (query: string) =>
      exchangeOf({
        query,
        status: 400,
        headers: [['Content-Type', 'text/html']],
        body: '<!doctype html>',
      });

    test.each(['region[]=FR', 'cursor=%z', 'cursor=%', 'region="'])('%s says nothing', (query) => {
      expect(verdictsOf(asked(query)).broken).toEqual([]);
    });

    test.each(['cursor=%E0%A4', 'region=a+b;c=d', ''])('%s is one', (query) => {
      expect(verdictsOf(asked(query)).broken).toContain('errors.envelope');
      expect(verdictsOf(asked(query)).broken).toContain('media.error-json');
    });
  });
});

describe('media type', () => {
  const page = { data: [], pagination: { next: null, size: 50 } };
  const refusal = { error: { code: 'NOT_FOUND', message: '', request_id: 'r' } };

  test.each([
    ['success', 200, page],
    ['error', 404, refusal],
  ])('the body of a %s is JSON and says so', (kind, status, body) => {
    const { seen, broken } = verdictsOf(exchangeOf({ status, body }));
    expect(seen).toEqual(expect.arrayContaining([`media.${kind}-json`, `media.${kind}-label`]));
    expect(broken).toEqual([]);
  });

  test.each([
    ['success', 200, page, 'text/plain'],
    ['success', 200, page, 'application/jsonp'],
    ['error', 404, refusal, 'application/problem+json'],
  ])('a %s labelled otherwise is wrong', (kind, status, body, label) => {
    const answer = exchangeOf({ status, body, headers: [['Content-Type', label]] });
    expect(verdictsOf(answer).broken).toEqual([`media.${kind}-label`]);
  });

  test('a body without a label is wrong', () => {
    expect(verdictsOf(exchangeOf({ body: page, headers: [] })).broken).toEqual([
      'media.success-label',
    ]);
  });

  test('a body that is not JSON is wrong', () => {
    expect(verdictsOf(exchangeOf({ path: '/regions', body: '{"a":' })).broken).toEqual([
      'media.success-json',
    ]);
  });

  test('a start may answer nothing, and what it answers is JSON', () => {
    const start = { path: '/instances/a/start', method: 'POST', status: 202 };
    const bindings = { start: 'POST /instances/{id}/start' };
    expect(verdictsOf(exchangeOf({ ...start, headers: [] }), { bindings }).seen).toEqual([]);
    expect(verdictsOf(exchangeOf({ ...start, body: [7] }), { bindings }).broken).toEqual([]);
    const words = exchangeOf({ ...start, body: 'ok' });
    expect(verdictsOf(words, { bindings }).broken).toEqual(['media.success-json']);
  });

  test('a stop without a body lacks the record, not the label', () => {
    const stop = { path: '/instances/a/stop', method: 'POST', status: 204, headers: [] };
    expect(verdictsOf(exchangeOf(stop)).broken).toEqual(['stop-instance.response-is-instance']);
    const path = `/instances/${String(actionRecord()['instance_id'])}/stop`;
    expect(verdictsOf(exchangeOf({ ...stop, path, body: actionRecord() })).broken).toEqual([
      'media.success-label',
    ]);
  });
});

describe('retry after', () => {
  const there = 'rate-limiting.retry-after-there';
  const integer = 'rate-limiting.retry-after-integer';

  function limited(...values: readonly string[]) {
    return exchangeOf({
      status: 429,
      body: { error: { code: 'TOO_MANY_REQUESTS', message: '', request_id: 'r' } },
      headers: [
        ['content-type', 'application/json'],
        ...values.map((value) => ['RETRY-AFTER', value] as const),
      ],
    });
  }

  test.each(['0', '1', '3600'])('%s is a number of seconds', (value) => {
    const { seen, broken } = verdictsOf(limited(value));
    expect(seen).toEqual(expect.arrayContaining([there, integer]));
    expect(broken).toEqual([]);
  });

  test.each(['Wed, 21 Oct 2026 07:28:00 GMT', '1.5', '-1', '', 'soon'])('"%s" is none', (value) => {
    expect(verdictsOf(limited(value)).broken).toEqual([integer]);
  });

  test('a 429 without the header is wrong', () => {
    expect(verdictsOf(limited()).broken).toEqual([there]);
  });

  test('the head of a 429 tells even when the body was cut', () => {
    expect(verdictsOf({ ...limited(), ending: 'reset' }).broken).toEqual([there]);
  });

  test('other answers need no such header', () => {
    expect(verdictsOf(exchangeOf({ status: 404, body: {} })).seen).not.toContain(there);
  });
});
