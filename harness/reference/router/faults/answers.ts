/** The common parts of every response: incomplete envelopes, missing or malformed headers, ids that are not UUIDs. */

import { headerOf, withHeader } from '../../http.ts';
import {
  amend,
  answering,
  chained,
  CHALLENGE,
  CHAT,
  errorIn,
  every,
  faultTable,
  forces,
  headed,
  isEmptyBucket,
  isError,
  MESSAGES,
  nowAndThen,
  on,
  type Patch,
  replace,
  REQUEST_ID,
  REQUESTS,
  RETRY_AFTER,
  TOKENS,
  type When,
  withBody,
  withError,
} from './words.ts';

const onModels = on({ status: 401, path: '/v1/models' });
const onRerank = on({ status: 401, path: '/v1/rerank' });

/** A valid trace context, broken in one way. */
function tracing(change: (value: string) => string): Patch {
  return replace('traceparent', (original, headers) =>
    change(original(headers) ?? `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`),
  );
}

/** True for successes that tell what remains of a quota. */
const tells = (name: string): When =>
  every(on({ status: 200 }), (reply) => headerOf(reply, name) !== undefined);

const isStreamed: When = (reply) =>
  reply.status === 200 && (headerOf(reply, 'Content-Type') ?? '').startsWith('text/event-stream');

const by =
  (method: string): When =>
  (_reply, context) =>
    context.method === method;

const isFull = on({ code: 'concurrency_limit_exceeded' });
const onDetail = on({ status: 401, path: /^\/v1\/models\//u });

export const answersFaults = [
  ...faultTable('router.envelope', {
    'object: refusal-in-plain-text': answering(onModels, (reply) =>
      withHeader(withBody(reply, 'unauthorized\n'), 'Content-Type', 'text/plain'),
    ),
    'object: errors-are-pages-for-browsers': answering(
      (reply, { headers }) => reply.status >= 400 && headers.accept?.includes('html') === true,
      (reply) => withHeader(withBody(reply, '<h1>Error</h1>'), 'Content-Type', 'text/html'),
    ),
    'object: refusal-like-an-administrator-route': answering(onRerank, (reply) =>
      withBody(reply, { error: errorIn(reply)['message'] }),
    ),
    'object, met by router.codes.unreadable-fields: half-a-character-fails-inside': answering(
      (_reply, { body }) => /\\ud8/u.test(JSON.stringify(body?.['model'] ?? '')),
      (reply) => withBody(reply, 'Internal Server Error', 500),
    ),
    'code: code-is-the-status': answering(onModels, (reply) =>
      withError(reply, { code: reply.status }),
    ),
    'message: message-is-null-on-rerank': answering(onRerank, (reply) =>
      withError(reply, { message: null }),
    ),
    'message: message-is-an-object-for-caps': answering(on({ code: 'input_too_long' }), (reply) =>
      withError(reply, { message: { text: 'too long' } }),
    ),
    'source + router.authentication.refusal-source + router.codes.unauthorized-source: source-in-upper-case-on-embeddings':
      answering(on({ status: 401, path: '/v1/embeddings' }), (reply) =>
        withError(reply, { source: 'ROUTER' }),
      ),
    'source: source-missing-on-detail': answering(onDetail, (reply) =>
      withError(reply, { source: undefined }),
    ),
    ...headed('Content-Type', 'text/plain; charset=utf-8', {
      'content-type: errors-labelled-as-text': on({ status: 401, path: MESSAGES }),
    }),
    'unregistered-not-found: unknown-paths-are-welcome': answering(
      (reply, context) =>
        reply.status === 404 && context.route === undefined && context.path !== '/v1/responses',
      (reply) => ({ ...reply, status: 200 }),
    ),
  }),
  ...faultTable('router.response-headers', {
    'traceparent-valid: traceparent-of-unsampled-requests-has-no-parent': amend(
      'traceparent',
      (value, headers) =>
        String(headers['traceparent']).endsWith('-00')
          ? value?.replace(/-[\da-f]{16}-/u, `-${'0'.repeat(16)}-`)
          : value,
    ),
    'traceparent-valid: traceparent-all-zero': tracing((value) =>
      value.replace(/-[0-9a-f]{32}-/u, `-${'0'.repeat(32)}-`),
    ),
    'traceparent-valid: own-traceparent-without-flags': replace(
      'traceparent',
      (original, headers) => original(headers)?.slice(0, headers['traceparent'] ? undefined : -3),
    ),
    ...headed('traceparent', (reply) => headerOf(reply, 'traceparent')?.slice(0, -3), {
      'traceparent-valid: traceparent-without-flags-on-401': on({ status: 401 }),
    }),
    ...headed(CHALLENGE, undefined, {
      'challenge-on-client-routes: no-challenge-on-detail': onDetail,
      'challenge-on-admin-routes: no-challenge-on-routing-table': on({
        status: 401,
        path: '/admin/routing-table',
      }),
    }),
    ...headed(CHALLENGE, 'Basic realm="router"', {
      'challenge-on-client-routes: basic-challenge-on-chat': on({ status: 401, path: CHAT }),
    }),
    ...headed(REQUESTS, (reply) => `${headerOf(reply, REQUESTS)}.5`, {
      'remaining-requests-integer: remaining-requests-with-fraction': tells(REQUESTS),
    }),
    ...headed(REQUESTS, '60', {
      'remaining-requests-counts-down: remaining-requests-never-change': (reply) =>
        ![undefined, '0'].includes(headerOf(reply, REQUESTS)),
    }),
    'remaining-requests-counts-down: remaining-requests-grow': (rules) => {
      let said = 0;
      return answering(every(tells(REQUESTS), on({ key: 'requestsPerMinute' })), (reply) =>
        withHeader(reply, REQUESTS, String((said += 7))),
      )(rules);
    },
    ...headed(TOKENS, (reply) => `${headerOf(reply, TOKENS)} tokens`, {
      'remaining-tokens-integer: remaining-tokens-in-words': tells(TOKENS),
    }),
    ...headed(TOKENS, '2000', {
      'remaining-tokens-counts-down: remaining-tokens-never-change': tells(TOKENS),
    }),
    // Every success reports the whole budget as remaining, and a request costs more than it should.
    'remaining-tokens-counts-down: remaining-tokens-change-in-refusals-alone': chained(
      answering(tells(TOKENS), (reply) => withHeader(reply, TOKENS, '2000')),
      amend('estimateInput', (tokens) => tokens + 100),
    ),
    ...headed(TOKENS, String(Number.MAX_SAFE_INTEGER), {
      'unlimited-omitted: unlimited-key-told-tokens': on({ status: 200, key: 'unlimited' }),
    }),
    ...headed(REQUESTS, '99999', {
      'unlimited-omitted: unlimited-key-told-on-messages': on({ path: MESSAGES, key: 'unlimited' }),
    }),
    ...headed(TOKENS, '-1', {
      'unlimited-not-negative + remaining-tokens-integer: unlimited-is-minus-one': on({
        key: 'client',
      }),
    }),
    ...headed(TOKENS, '2147483647', {
      'other-quota-omitted: other-quota-told-in-streams': on({
        status: 200,
        key: 'requestsPerMinute',
        stream: true,
      }),
    }),
    'other-quota-omitted: other-quota-told': replace(
      'rateHeaders',
      (original, remaining, ...others) =>
        original(
          remaining.requests === undefined
            ? remaining
            : { ...remaining, tokens: remaining.tokens ?? Number.MAX_SAFE_INTEGER },
          ...others,
        ),
    ),
    ...headed(RETRY_AFTER, undefined, {
      'retry-after-on-concurrency: concurrency-limit-without-retry-after': isFull,
    }),
    ...headed(RETRY_AFTER, 'Wed, 21 Oct 2015 07:28:00 GMT', {
      'retry-after-on-concurrency: concurrency-limit-retry-after-is-a-date': isFull,
    }),
    ...headed(RETRY_AFTER, '30', { 'retry-after-value: retry-after-is-thirty': isFull }),
    ...headed(RETRY_AFTER, '60', {
      'no-retry-after-on-plain-rate-limit + router.rate-limit-rules.exhausted-bucket-no-retry-after: empty-bucket-says-a-minute':
        isEmptyBucket,
    }),
    ...headed(RETRY_AFTER, '1', {
      'no-retry-after-elsewhere: retry-after-with-no-capacity': on({ code: 'no_capacity' }),
      'no-retry-after-elsewhere, met by router.admission.timeout-at-engine: retry-after-with-timeouts':
        on({ code: 'request_timeout' }),
      'no-retry-after-on-backend-errors: retry-after-with-unavailable-engines-of-streams': on({
        code: 'backend_unavailable',
        stream: true,
      }),
      'no-retry-after-on-backend-errors: retry-after-with-context-length': on({
        code: 'context_length_exceeded',
      }),
      'no-retry-after-on-plain-rate-limit, met by router.rate-limit-rules.exhausted-bucket-reaches-no-engine: empty-bucket-says-when-on-embeddings':
        every(isEmptyBucket, on({ path: '/v1/embeddings' })),
    }),
    'retry-after-value, met by router.admission.serverless-share-back: serverless-retry-after-is-zero':
      forces('retryAfter', '0', ({ detail }) => detail.quota === 'serverless'),
    'retry-after-seconds, met by router.admission.serverless-share-back: serverless-retry-after-is-negative':
      forces('retryAfter', '-1', ({ detail }) => detail.quota === 'serverless'),
    'no-retry-after-of-engines: retry-after-of-engines-passed-on': amend(
      'answer',
      (reply, _plain, { engineError }) => {
        const value = engineError?.headers['retry-after'];
        return value === undefined ? reply : withHeader(reply, RETRY_AFTER, value);
      },
    ),
    ...headed(REQUEST_ID, undefined, {
      'request-id-on-success, met by router.endpoints.admin-health: request-id-missing-on-admin':
        on({ status: 200, path: /^\/admin\//u }),
      'request-id-on-success, met by router.authentication.refusal-reaches-no-engine: request-id-missing-on-count-tokens':
        on({ status: 200, path: '/v1/messages/count_tokens' }),
      'request-id-on-stream: request-id-missing-on-streams': isStreamed,
      'request-id-on-error: request-id-missing-on-400': on({ status: 400 }),
      'request-id-on-error, met by router.admission.timeout-at-engine: request-id-missing-on-504':
        on({ status: 504 }),
      'request-id-on-unauthorized: request-id-missing-on-401-of-administrators': on({
        status: 401,
        path: /^\/admin\//u,
      }),
      'request-id-on-unauthorized: request-id-missing-on-401-of-messages': on({
        status: 401,
        path: MESSAGES,
      }),
      'request-id-on-not-found: request-id-missing-on-responses': on({ path: '/v1/responses' }),
      'request-id-on-not-found: request-id-missing-on-head-requests': by('HEAD'),
      'request-id-on-not-found: request-id-missing-on-patch': by('PATCH'),
      'request-id-on-not-found: request-id-missing-on-options': by('OPTIONS'),
      'request-id-on-not-found: request-id-missing-on-404-of-administrators': on({
        status: 404,
        path: /^\/admin\//u,
      }),
      'request-id-on-oversize: request-id-missing-on-413': on({ status: 413 }),
    }),
    ...headed(REQUEST_ID, (_reply, { sequence }) => String(sequence), {
      'request-id-uuid: request-id-no-uuid-on-404': on({ status: 404 }),
    }),
    ...headed(REQUEST_ID, (_reply, { requestId }) => `req-${requestId}`, {
      'request-id-uuid: request-id-prefixed-in-streams': isStreamed,
    }),
    'request-id-uuid: request-id-twice-on-errors': answering(isError, (reply, { requestId }) => ({
      ...reply,
      headers: [...reply.headers, [REQUEST_ID, requestId]],
    })),
    'request-id-uuid-despite-client + request-id-uuid: request-id-echoes-anything': replace(
      'requestId',
      (original, headers) => {
        const sent = headers['x-request-id'];
        return typeof sent === 'string' && sent !== '' ? sent : original(headers);
      },
    ),
    'request-id-fresh: request-id-the-same-for-all': nowAndThen(3, (isDue) => {
      const same = '0f8c4a86-6f6e-4f0e-9d7e-3c1f4b2a1d55';
      return forces('requestId', same, isDue);
    }),
  }),
];
