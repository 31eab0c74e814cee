import { describe, expect, test } from 'vitest';
import { codeTable, isRouterCode } from '../../../schemas/router/codes.ts';
import { forwardedBesideRow } from './code-agreement.ts';
import {
  challenge,
  judged,
  sampleError,
  sampleExchange,
  testUniversal,
  testVerdicts,
  withHeaders,
} from './sample.test.support.ts';

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
  testUniversal([
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

testVerdicts([
  ['the right status', 'unseen', forwardedBesideRow(sampleError(429, 'token_limit_exceeded'))],
  [
    'a status beside the row',
    'broken',
    forwardedBesideRow(sampleError(502, 'token_limit_exceeded')),
  ],
  ['an error that was wrapped', 'unseen', forwardedBesideRow(sampleError(502, 'backend_error'))],
  ['no error at all', 'unseen', forwardedBesideRow(sampleExchange())],
]);

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
  testUniversal([
    ['is whole', refusal(good), [], [CODE, SOURCE, MESSAGE, REALM, CHALLENGE]],
    ['has another code', forbidden, [CODE, MESSAGE, 'codes.model_forbidden-status'], [SOURCE]],
    [
      'has another source',
      refusal(good, 'unauthorized', 'backend'),
      [SOURCE, 'codes.unauthorized-source'],
    ],
    ['has no challenge', sampleError(401, 'unauthorized'), [CHALLENGE]],
    ['has another scheme', refusal('Basic realm="router"'), [CHALLENGE]],
    ['has no realm', refusal('Bearer error="x"'), [REALM]],
    ['has an empty realm', refusal('Bearer realm=""'), [REALM]],
    [
      'of an administrator has no challenge',
      sampleExchange(admin),
      ['response-headers.challenge-on-admin-routes'],
    ],
  ]);
});
