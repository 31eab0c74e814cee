import { describe } from 'vitest';
import type { HeaderLines } from '../../exchange/exchange.ts';
import { freshRequestIds, uuidDespiteClient } from './headers.ts';
import {
  challenge,
  id,
  json,
  SAMPLE_ID,
  sampleError,
  sampleExchange,
  type SampleParts,
  testUniversal,
  withHeaders,
} from './sample.test.support.ts';
import { testVerdicts } from '../verdict.test.support.ts';

const OTHER_ID = '0190a7c2-6b1e-7c3d-8e4f-000000000000';
const UUID = 'response-headers.request-id-uuid';

describe('X-Request-ID is missing, and is there', () => {
  const path = '/elsewhere';
  const events = ['Content-Type', 'text/event-stream; charset=utf-8'] as const;
  const kinds: [what: Parameters<typeof testUniversal>[0][number][2][number], SampleParts][] = [
    ['response-headers.request-id-on-success', {}],
    ['response-headers.request-id-on-stream', { headers: [events], body: 'data: 1\n\n' }],
    ['response-headers.request-id-on-not-found', { path, status: 404 }],
    ['response-headers.request-id-on-oversize', { status: 413, ending: 'reset' }],
    ['response-headers.request-id-on-error', { path, status: 500 }],
    ['response-headers.request-id-on-error', { path, status: 405, method: 'PUT' }],
    [
      'response-headers.request-id-on-unauthorized',
      { path, status: 401, headers: [json, challenge] },
    ],
  ];
  testUniversal(
    kinds.flatMap(([own, { headers = [json], ...parts }]) => [
      [own, sampleExchange({ ...parts, headers }), [own]] as const,
      [own, sampleExchange({ ...parts, headers: [...headers, id] }), [], [own]] as const,
    ]),
  );
});

describe('X-Request-ID', () => {
  const twice: HeaderLines = [json, id, id];
  const beside: HeaderLines = [json, ['x-request-id', 'req-1'], id];
  const notFound = sampleError(404, 'model_not_found', 'router', { headers: twice });
  const models = { method: 'GET', path: '/v1/models', body: { data: [] } };
  const lost = sampleError(503, 'no_agents_available', 'router', { headers: twice });
  testUniversal([
    ['is no UUID', sampleExchange({ headers: [json, ['x-request-id', 'req-1']] }), [UUID]],
    ['stands beside that of an engine', sampleExchange({ headers: beside }), []],
    ['is there twice on a refusal', notFound, [UUID]],
    ['is there twice on a list', sampleExchange({ ...models, headers: twice }), [UUID]],
    ['is there twice on what may come from an engine', lost, []],
    ['is there twice on what an engine wrote', notFound, [], [], { mayBeForwarded: () => true }],
    ['of a server in front', sampleExchange({ status: 408, headers: [json], body: '' }), []],
    ['of a firewall', sampleExchange({ method: 'PUT', status: 403, headers: [], body: '' }), []],
  ]);

  const withId = (value: string, requestHeaders: HeaderLines = []) =>
    sampleExchange({ requestHeaders, headers: [['X-Request-ID', value]] });
  const brought = withId(SAMPLE_ID, [['x-request-id', SAMPLE_ID]]);
  const again = withId(SAMPLE_ID.toUpperCase());
  testVerdicts([
    ['are fresh', 'held', freshRequestIds([withId(SAMPLE_ID), withId(OTHER_ID)])],
    ['are not given twice', 'broken', freshRequestIds([withId(SAMPLE_ID), again])],
    ['that clients brought do not count', 'unseen', freshRequestIds([withId(SAMPLE_ID), brought])],
    ['are UUIDs whatever the client sent', 'held', uuidDespiteClient(withId(OTHER_ID))],
    ['are what the client sent', 'broken', uuidDespiteClient(withId('mine'))],
    ['are not there', 'unseen', uuidDespiteClient(sampleExchange({ headers: [] }))],
  ]);
});

describe('Retry-After', () => {
  const on = (code: string, value?: string, parts: SampleParts = {}, source = 'router') =>
    sampleError(code.endsWith('exceeded') ? 429 : 503, code, source, {
      ...parts,
      headers: value === undefined ? withHeaders() : withHeaders(['Retry-After', value]),
    });
  const full = 'concurrency_limit_exceeded';
  const limit = 'rate_limit_exceeded';
  const known = { plainCredentials: ['client'], plainModels: ['chat'] };
  const as = (credential: string, model: string) => ({ credential, request: { model } });
  const REQUIRED = 'response-headers.retry-after-on-concurrency';
  const NONE = 'response-headers.no-retry-after-on-plain-rate-limit';
  const ELSEWHERE = 'response-headers.no-retry-after-elsewhere';
  testUniversal([
    ['of one second', on(full, '1'), [], [REQUIRED, 'response-headers.retry-after-value']],
    ['of no second', on(full, '0'), ['response-headers.retry-after-value'], [REQUIRED]],
    ['of thirty seconds', on(full, '30'), ['response-headers.retry-after-value'], [REQUIRED]],
    ['missing where it is required', on(full), [REQUIRED]],
    ...['1.5', '-1', 'Wed, 21 Oct 2026 07:28:00 GMT', ''].flatMap((value) => [
      [`of "${value}" where it is required`, on(full, value), [REQUIRED]] as const,
      [
        `of "${value}" on a rate limit`,
        on(limit, value, as('serverless', 'other')),
        ['response-headers.retry-after-seconds'],
      ] as const,
    ]),
    ['for a plain key and model', on(limit, '1', as('client', 'chat')), [NONE], [], known],
    ['not for them', on(limit, undefined, as('client', 'chat')), [], [NONE], known],
    ['for another model', on(limit, '1', as('client', 'other')), [], [], known],
    ['for another key', on(limit, '1', as('serverless', 'chat')), [], [], known],
    ['on another error', on('no_capacity', '1'), [ELSEWHERE]],
    ['not on another error', on('no_capacity'), [], [ELSEWHERE]],
    ['on an error of the engine', on('backend_unavailable', '1', {}, 'backend'), []],
  ]);
});

describe('other headers', () => {
  const TRACE = 'response-headers.traceparent-valid';
  const REQUESTS = 'response-headers.remaining-requests-integer';
  const TOKENS = 'response-headers.remaining-tokens-integer';
  const ids = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const sent = (...lines: HeaderLines) => sampleExchange({ headers: withHeaders(...lines) });
  const trace = (value: string) => sent(['traceparent', value]);
  const requests = (value: string) => sent(['X-RateLimit-Remaining-Requests', value]);
  const tokens = (value: string) => sent(['X-RateLimit-Remaining-Tokens', value]);
  const beside: HeaderLines[number] = ['x-ratelimit-remaining-tokens', '99'];
  testUniversal([
    ['a trace', trace(`00-${ids}`), [], [TRACE]],
    ['a trace of a later version', trace(`cc-${ids}-more`), [], [TRACE]],
    ['a trace in upper case', trace(`00-${ids.toUpperCase()}`), [TRACE]],
    ['a trace of zeros', trace(`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`), [TRACE]],
    ['a trace with more', trace(`00-${ids}-more`), [TRACE]],
    ['a trace of no version', trace(`ff-${ids}`), [TRACE]],
    ['no requests left', requests('0'), [], [REQUESTS]],
    ['a fraction of a request', requests('1.5'), [REQUESTS]],
    ['tokens', tokens('123'), [], [TOKENS]],
    ['tokens below zero', tokens('-1'), [TOKENS, 'response-headers.unlimited-not-negative']],
    ['tokens beside those of an engine', sent(['X-RateLimit-Remaining-Tokens', '5'], beside), []],
  ]);
});
