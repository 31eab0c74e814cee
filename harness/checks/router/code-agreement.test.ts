import { describe, expect, test } from 'vitest';
import { routerCatalogue, type RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { codeTable, isRouterCode } from '../../../schemas/router/codes.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { notObserved } from '../judgement.ts';
import { forwardedBesideRow } from './code-agreement.ts';
import {
  challenge,
  judged,
  sampleError,
  sampleExchange,
  withHeaders,
} from './sample.test.support.ts';
import { nothingKnown } from './route.ts';

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

  test('an envelope of the router is held to the table by whatever status it comes', () => {
    expect(judged(sampleError(408, 'request_timeout')).broken).toEqual([
      'router.codes.request_timeout-status',
    ]);
    expect(judged(sampleError(431, 'request_invalid')).broken).toEqual([]);
    expect(judged(sampleError(408, 'timeout')).broken).toEqual([]);
    expect(
      judged(sampleError(408, 'request_timeout', 'router', { path: '/other' })).broken,
    ).toEqual([]);
  });

  test('an unknown code is noticed, and only implied', () => {
    const { broken } = judged(sampleError(400, 'teapot'));
    expect(broken).toEqual(['router.codes.known-codes']);
    expect(routerCatalogue['router.codes.known-codes'].strength).toBe('implied');
  });

  test('a forwarded envelope is not held to the table', () => {
    const exchange = sampleError(503, 'rate_limit_exceeded', 'backend', { path: '/v1/embeddings' });
    const broken = (forwarded: boolean) =>
      judged(exchange, { ...nothingKnown, mayBeForwarded: () => forwarded }).broken;
    expect(broken(false).length).toBeGreaterThan(0);
    expect(broken(true)).toEqual([]);
    // A router may stand behind this one, where nobody knows better.
    expect(judged(exchange).broken).toEqual([]);
  });

  test('a 413 for a small body is an error like any other, where the limit is known', () => {
    const answer = sampleError(413, 'context_length_exceeded', 'backend');
    const sentBody = Buffer.from('{"model":"scripted-chat","messages":[]}');
    const small: Exchange = { ...answer, request: { ...answer.request, body: sentBody } };
    const { length } = sentBody;
    const broken = (maxRequestBytes: number | undefined, exchange = small) =>
      judged(exchange, {
        ...nothingKnown,
        ...(maxRequestBytes === undefined ? {} : { maxRequestBytes }),
      }).broken;
    expect(broken(1_048_576)).toEqual(['router.codes.context_length_exceeded-status']);
    expect(broken(0)).toEqual(['router.codes.context_length_exceeded-status']);
    expect(broken(undefined)).toEqual([]);
    expect(broken(length - 1)).toEqual([]);
    const body = Buffer.alloc(5_000, ' ');
    const large = { ...small, request: { ...small.request, body } };
    expect(broken(1_048_576, large)).toEqual([]);
    const headers = [['Transfer-Encoding', 'chunked']] as const;
    const sent = { ...small, request: { ...small.request, headers } };
    expect(broken(1_048_576, sent)).toEqual([]);
    expect(broken(1_048_576, sampleExchange({ status: 413, body: 'too large' }))).toEqual([]);
  });

  test('the native route forwards no envelope', () => {
    const exchange = sampleError(503, 'rate_limit_exceeded', 'router');
    expect(judged(exchange, { ...nothingKnown, mayBeForwarded: () => true }).broken).toEqual([
      'router.codes.rate_limit_exceeded-status',
    ]);
  });
});

describe('an envelope that an engine wrote', () => {
  test('with the right status shows nothing of the router', () => {
    expect(forwardedBesideRow(sampleError(429, 'token_limit_exceeded'))).toBe(notObserved);
  });

  test('with a status that its row does not have is broken by the router', () => {
    expect(forwardedBesideRow(sampleError(502, 'token_limit_exceeded')).violations).toHaveLength(1);
  });

  test('that was wrapped, or did not come, shows nothing', () => {
    expect(forwardedBesideRow(sampleError(502, 'backend_error'))).toBe(notObserved);
    expect(forwardedBesideRow(sampleExchange({ status: 200 }))).toBe(notObserved);
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
