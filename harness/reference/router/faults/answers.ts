/** The common parts of every response: incomplete envelopes, missing or malformed headers, ids that are not UUIDs. */

import { headerOf, withHeader } from '../../http.ts';
import {
  amend,
  answering,
  errorIn,
  every,
  faultTable,
  forces,
  hasStatus,
  isRefusal,
  nowAndThen,
  on,
  onPath,
  type Patch,
  replace,
  REQUESTS,
  TOKENS,
  type When,
  withBody,
  withCode,
  withError,
  gathered,
} from './words.ts';
import { isEmptyBucket } from './words-limits.ts';

const onModels = every(isRefusal, on({ path: '/v1/models' }));

const onRerank = every(isRefusal, on({ path: '/v1/rerank' }));

/** A valid trace context, broken in one way. */
function tracing(change: (value: string) => string): Patch {
  return replace('traceparent', (original, headers) =>
    change(original(headers) ?? `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`),
  );
}

const has =
  (name: string): When =>
  (reply) =>
    headerOf(reply, name) !== undefined;

const ofKey =
  (pattern: RegExp): When =>
  (_reply, { key }) =>
    pattern.test(key?.name ?? '');

const RETRY_AFTER = 'Retry-After';

const saying = (value: string | undefined, when: When) =>
  answering(when, (reply) => withHeader(reply, RETRY_AFTER, value));

const isSlotFull = withCode('no_capacity');

const REQUEST_ID = 'X-Request-ID';

const isStreamed: When = (reply) =>
  reply.status === 200 && (headerOf(reply, 'Content-Type') ?? '').startsWith('text/event-stream');

const isError: When = (reply) => reply.status >= 400;

const isHead: When = (_reply, { method }) => method === 'HEAD';

/** Some responses have no X-Request-ID. */
const missing = gathered(
  [
    ['admin', 'on-success', every(hasStatus(200), onPath(/^\/admin\//u)), 'endpoints.admin-health'],
    [
      'count-tokens',
      'on-success',
      every(hasStatus(200), on({ path: '/v1/messages/count_tokens' })),
      'authentication.refusal-reaches-no-engine',
    ],
    ['streams', 'on-stream', isStreamed],
    ['400', 'on-error', hasStatus(400)],
    ['504', 'on-error', hasStatus(504), 'admission.timeout-at-engine'],
    ['401-of-administrators', 'on-unauthorized', every(hasStatus(401), onPath(/^\/admin\//u))],
    ['401-of-messages', 'on-unauthorized', every(hasStatus(401), on({ path: '/v1/messages' }))],
    ['responses', 'on-not-found', on({ path: '/v1/responses' })],
    ['head-requests', 'on-not-found', isHead],
    ['404-of-administrators', 'on-not-found', every(hasStatus(404), onPath(/^\/admin\//u))],
    ['413', 'on-oversize', hasStatus(413)],
  ] satisfies readonly (readonly [string, string, When, string?])[],
  ([name, slug, when, metBy]) => ({
    [`request-id-${slug}${metBy ? `, met by router.${metBy}` : ''}: request-id-missing-on-${name}`]:
      answering(when, (reply) => withHeader(reply, REQUEST_ID, undefined)),
  }),
);

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
    'message: message-is-an-object-for-caps': answering(withCode('input_too_long'), (reply) =>
      withError(reply, { message: { text: 'too long' } }),
    ),
    'source + router.authentication.refusal-source + router.codes.unauthorized-source: source-in-upper-case-on-embeddings':
      answering(every(isRefusal, on({ path: '/v1/embeddings' })), (reply) =>
        withError(reply, { source: 'ROUTER' }),
      ),
    'source: source-missing-on-detail': answering(
      every(isRefusal, onPath(/^\/v1\/models\//u)),
      (reply) => withError(reply, { source: undefined }),
    ),
    'content-type: errors-labelled-as-text': answering(
      every(isRefusal, on({ path: '/v1/messages' })),
      (reply) => withHeader(reply, 'Content-Type', 'text/plain; charset=utf-8'),
    ),
    'unregistered-not-found: unknown-paths-are-welcome': answering(
      (reply, context) =>
        reply.status === 404 && context.route === undefined && context.path !== '/v1/responses',
      (reply) => ({ ...reply, status: 200 }),
    ),
  }),
  ...faultTable('router.response-headers', {
    'retry-after-value: retry-after-is-thirty': answering(
      withCode('concurrency_limit_exceeded'),
      (reply) => withHeader(reply, 'Retry-After', '30'),
    ),
    'retry-after-value, met by router.admission.serverless-share-back: serverless-retry-after-is-zero':
      forces('retryAfter', '0', ({ detail }) => detail.quota === 'serverless'),
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
    'traceparent-valid: traceparent-without-flags-on-401': answering(hasStatus(401), (reply) =>
      withHeader(reply, 'traceparent', headerOf(reply, 'traceparent')?.slice(0, -3)),
    ),
    'challenge-on-client-routes: no-challenge-on-detail': answering(
      every(hasStatus(401), onPath(/^\/v1\/models\//u)),
      (reply) => withHeader(reply, 'WWW-Authenticate', undefined),
    ),
    'challenge-on-client-routes: basic-challenge-on-chat': answering(
      every(hasStatus(401), on({ path: '/v1/chat/completions' })),
      (reply) => withHeader(reply, 'WWW-Authenticate', 'Basic realm="router"'),
    ),
    'challenge-on-admin-routes: no-challenge-on-routing-table': answering(
      every(hasStatus(401), on({ path: '/admin/routing-table' })),
      (reply) => withHeader(reply, 'WWW-Authenticate', undefined),
    ),
    'remaining-requests-integer: remaining-requests-with-fraction': answering(
      every(has(REQUESTS), hasStatus(200)),
      (reply) => withHeader(reply, REQUESTS, `${headerOf(reply, REQUESTS)}.5`),
    ),
    'remaining-requests-counts-down: remaining-requests-never-change': answering(
      every(has(REQUESTS), (reply) => headerOf(reply, REQUESTS) !== '0'),
      (reply) => withHeader(reply, REQUESTS, '60'),
    ),
    'remaining-requests-counts-down: remaining-requests-grow': (rules) => {
      let said = 0;
      return answering(
        every(has(REQUESTS), hasStatus(200), on({ key: 'requestsPerMinute' })),
        (reply) => withHeader(reply, REQUESTS, String((said += 7))),
      )(rules);
    },
    'remaining-tokens-integer: remaining-tokens-in-words': answering(
      every(has(TOKENS), hasStatus(200)),
      (reply) => withHeader(reply, TOKENS, `${headerOf(reply, TOKENS)} tokens`),
    ),
    'remaining-tokens-counts-down: remaining-tokens-never-change': answering(
      every(has(TOKENS), hasStatus(200)),
      (reply) => withHeader(reply, TOKENS, '2000'),
    ),
    // Every success reports the whole budget as remaining, and a request costs more than it should.
    'remaining-tokens-counts-down: remaining-tokens-change-in-refusals-alone': (rules) => ({
      ...answering(every(has(TOKENS), hasStatus(200)), (reply) =>
        withHeader(reply, TOKENS, '2000'),
      )(rules),
      estimateInput: (body, context) => rules.estimateInput(body, context) + 100,
    }),
    'unlimited-omitted: unlimited-key-told-tokens': answering(
      every(ofKey(/^unlimited$/u), hasStatus(200)),
      (reply) => withHeader(reply, TOKENS, String(Number.MAX_SAFE_INTEGER)),
    ),
    'unlimited-omitted: unlimited-key-told-on-messages': answering(
      every(on({ path: '/v1/messages' }), on({ key: 'unlimited' })),
      (reply) => withHeader(reply, REQUESTS, '99999'),
    ),
    'unlimited-not-negative + remaining-tokens-integer: unlimited-is-minus-one': answering(
      ofKey(/^client$/u),
      (reply) => withHeader(reply, TOKENS, '-1'),
    ),
    'retry-after-on-concurrency: concurrency-limit-without-retry-after': saying(
      undefined,
      withCode('concurrency_limit_exceeded'),
    ),
    'retry-after-on-concurrency: concurrency-limit-retry-after-is-a-date': saying(
      'Wed, 21 Oct 2015 07:28:00 GMT',
      withCode('concurrency_limit_exceeded'),
    ),
    'retry-after-seconds, met by router.admission.serverless-share-back: serverless-retry-after-is-negative':
      forces('retryAfter', '-1', (failure) => failure.detail.quota === 'serverless'),
    'no-retry-after-elsewhere: retry-after-with-no-capacity': saying('1', isSlotFull),
    'no-retry-after-elsewhere, met by router.admission.timeout-at-engine: retry-after-with-timeouts':
      saying('1', withCode('request_timeout')),
    'no-retry-after-of-engines: retry-after-of-engines-passed-on': amend(
      'answer',
      (reply, _plain, { engineError }) => {
        const value = engineError?.headers['retry-after'];
        return value === undefined ? reply : withHeader(reply, RETRY_AFTER, value);
      },
    ),
    'no-retry-after-on-backend-errors: retry-after-with-unavailable-engines-of-streams': saying(
      '1',
      every(withCode('backend_unavailable'), on({ stream: true })),
    ),
    'no-retry-after-on-backend-errors: retry-after-with-context-length': saying(
      '1',
      withCode('context_length_exceeded'),
    ),
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
    'other-quota-omitted: other-quota-told-in-streams': answering(
      every(
        on({ stream: true }),
        hasStatus(200),
        (_reply, { key }) => key?.name === 'requestsPerMinute',
      ),
      (reply) => withHeader(reply, 'X-RateLimit-Remaining-Tokens', '2147483647'),
    ),
    'no-retry-after-on-plain-rate-limit, met by router.rate-limit-rules.exhausted-bucket-reaches-no-engine: empty-bucket-says-when-on-embeddings':
      answering(every(isEmptyBucket, on({ path: '/v1/embeddings' })), (reply) =>
        withHeader(reply, 'Retry-After', '1'),
      ),
    'no-retry-after-on-plain-rate-limit + router.rate-limit-rules.exhausted-bucket-no-retry-after: empty-bucket-says-a-minute':
      answering(isEmptyBucket, (reply) => withHeader(reply, 'Retry-After', '60')),
    'request-id-uuid: request-id-no-uuid-on-404': answering(hasStatus(404), (reply, { sequence }) =>
      withHeader(reply, REQUEST_ID, String(sequence)),
    ),
    'request-id-uuid: request-id-prefixed-in-streams': answering(
      isStreamed,
      (reply, { requestId }) => withHeader(reply, REQUEST_ID, `req-${requestId}`),
    ),
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
    ...missing,
  }),
];
