/** Whatever a server sends, the universal checks judge it or nothing, and never throw. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Exchange, HeaderLines } from '../exchange/exchange.ts';
import type { UniversalJudgement } from './universal.ts';
import { computeUniversal } from './compute/universal.ts';
import { nothingKnown } from './router/route.ts';
import { sampleExchange } from './router/sample.test.support.ts';
import { universalRouterCheck } from './router/universal.ts';

/** Any code unit, lone surrogates too. The library's own unit takes seconds to build. */
const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));

/** Any of these texts, apart by commas. */
const someOf = (texts: string) => fc.constantFrom(...texts.split(', '));

/** Names with a meaning for a check, names with a meaning in JavaScript, and others. */
const member = fc.oneof(
  someOf('data, pagination, next, size, error, code, message, request_id, source, instance_id'),
  someOf('status, region, started_at, hourly_rate, id, choices, delta, object, presets'),
  someOf('__proto__, toString, constructor'),
  fc.string({ unit, maxLength: 4 }),
);

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1, 1.5, 1e308, 'RUNNING', 'NOT_FOUND', 'router', ''),
    fc.string({ unit, maxLength: 20 }),
    fc.double(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(member, tie('value'), { maxKeys: 6 }),
  ),
})).value;

const jsonText = json.map((value) => JSON.stringify(value) ?? '');
const text = fc.string({ unit, maxLength: 12 });

/** A body: JSON, JSON that was cut, a stream of events, or any bytes. */
const body = fc.oneof(
  jsonText.map((whole) => Buffer.from(whole)),
  fc.tuple(jsonText, fc.nat(40)).map(([whole, cut]) => Buffer.from(whole.slice(0, cut))),
  fc
    .array(fc.oneof(jsonText, text), { maxLength: 4 })
    .map((list) => Buffer.from(list.map((data) => `data: ${data}\n\n`).join(''))),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

const header = fc.tuple(
  fc.oneof(
    someOf('Content-Type, content-encoding, Retry-After, X-Request-ID, WWW-Authenticate'),
    someOf('traceparent, X-RateLimit-Remaining-Requests, X-RateLimit-Remaining-Tokens'),
  ),
  fc.oneof(someOf('application/json, text/event-stream, gzip, 1, -1, Bearer realm="r"'), text),
);

const answer = fc.record({
  status: fc.oneof(fc.constantFrom(200, 202, 400, 401, 403, 404, 409, 429, 500, 502), fc.nat(999)),
  headers: fc.array(header, { maxLength: 5 }),
  body,
  ending: fc.constantFrom('complete', 'cut-short', 'reset', 'timeout', 'too-large', 'unread'),
} as const);

const paths = {
  compute: fc.oneof(
    someOf('GET /instances, GET /instances/abc, GET /regions, GET /presets'),
    someOf('POST /instances/abc/stop, POST /instances/abc/terminate'),
  ),
  router: fc.oneof(
    someOf('GET /v1/models, GET /v1/models/m, GET /admin/health'),
    someOf('POST /v1/chat/completions, POST /v1/embeddings'),
  ),
} as const;

const query = fc.oneof(someOf(', size=1, size=1&size=2, cursor=%zz, status='), text);

/** The exchange of one request to a route, as `GET /path`. */
function exchangeOf(route: string, asked: string, { body: bytes, ...came }: Came): Exchange {
  const [method = 'GET', path = '/'] = route.split(' ');
  const { ending, ...parts } = came;
  const made = sampleExchange({ method, path, request: { stream: true }, body: bytes, ...parts });
  return { ...made, ending, request: { ...made.request, query: asked } };
}

interface Came {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
  readonly ending: Exchange['ending'];
}

/** Every judgement saw something, and every violation has all its texts. */
function expectSound(judgements: Iterable<UniversalJudgement>): void {
  for (const { judgement } of judgements) {
    expect(judgement.seen).toBeGreaterThanOrEqual(judgement.violations.length > 0 ? 1 : 0);
    for (const { message, expected, actual } of judgement.violations) {
      expect(message).not.toBe('');
      expect([typeof expected, typeof actual]).toEqual(['string', 'string']);
    }
  }
}

test('compute', () => {
  const bindings = {
    terminate: 'POST /instances/{id}/terminate',
    getInstance: { record: '$' },
    regions: { codes: '$[*].code' },
    presets: { items: '$.presets', fields: { sku: 'sku', price: '$.price.hourly' } },
  };
  fc.assert(
    fc.property(paths.compute, query, answer, fc.boolean(), (route, sent, came, bound) => {
      const exchange = exchangeOf(route, sent, came);
      const knowledge = bound ? { bindings } : {};
      expectSound(computeUniversal(exchange, knowledge));
    }),
    { numRuns: 1_000 },
  );
});

test('router', () => {
  fc.assert(
    fc.property(paths.router, query, answer, (route, sent, came) => {
      const exchange = exchangeOf(route, sent, came);
      expectSound(universalRouterCheck(exchange, nothingKnown));
    }),
    { numRuns: 1_000 },
  );
});
