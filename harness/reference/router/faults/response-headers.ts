/** Headers that are missing, malformed, or stand where they must not. */

import { headerOf, withHeader } from '../../http.ts';
import type { RouterRules } from '../rules/rules.ts';
import {
  amend,
  answering,
  every,
  faultTable,
  forces,
  hasStatus,
  on,
  onPath,
  replace,
  REQUESTS,
  TOKENS,
  type When,
  withCode,
} from './words.ts';
import { isEmptyBucket } from './words-limits.ts';

/** A valid trace context that is then broken in one way. */
function tracing(change: (value: string) => string): (rules: RouterRules) => RouterRules {
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

export const responseHeadersFaults = faultTable('router.response-headers', {
  'retry-after-value: retry-after-is-thirty': answering(
    withCode('concurrency_limit_exceeded'),
    (reply) => withHeader(reply, 'Retry-After', '30'),
  ),
  'retry-after-value: serverless-retry-after-is-zero': {
    exercisedBy: ['router.admission.serverless-share-back'],
    patch: forces('retryAfter', '0', ({ detail }) => detail.quota === 'serverless'),
  },
  'traceparent-valid: traceparent-all-zero': tracing((value) =>
    value.replace(/-[0-9a-f]{32}-/u, `-${'0'.repeat(32)}-`),
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
      every(has(REQUESTS), hasStatus(200), ofKey(/^requestsPerMinute$/u)),
      (reply) => {
        said += 7;
        return withHeader(reply, REQUESTS, String(said));
      },
    )(rules);
  },
  'remaining-tokens-integer: remaining-tokens-in-words': answering(
    every(has(TOKENS), hasStatus(200)),
    (reply) => withHeader(reply, TOKENS, `${headerOf(reply, TOKENS)} tokens`),
  ),
  'remaining-tokens-counts-down: remaining-tokens-never-change': {
    says: 'Says with every success that the whole daily budget remains.',
    patch: answering(every(has(TOKENS), hasStatus(200)), (reply) =>
      withHeader(reply, TOKENS, '2000'),
    ),
  },
  'remaining-tokens-counts-down: remaining-tokens-change-in-refusals-alone': {
    says: 'Says with every success that the whole budget remains, and takes more for a request than it writes.',
    patch: (rules) => ({
      ...answering(every(has(TOKENS), hasStatus(200)), (reply) =>
        withHeader(reply, TOKENS, '2000'),
      )(rules),
      estimateInput: (body, context) => rules.estimateInput(body, context) + 100,
    }),
  },
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
  'retry-after-seconds: serverless-retry-after-is-negative': {
    exercisedBy: ['router.admission.serverless-share-back'],
    patch: forces('retryAfter', '-1', (failure) => failure.detail.quota === 'serverless'),
  },
  'no-retry-after-elsewhere: retry-after-with-no-capacity': saying('1', isSlotFull),
  'no-retry-after-elsewhere: retry-after-with-timeouts': {
    exercisedBy: ['router.admission.timeout-at-engine'],
    patch: saying('1', withCode('request_timeout')),
  },
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
  'no-retry-after-on-plain-rate-limit: empty-bucket-says-when-on-embeddings': {
    exercisedBy: ['router.rate-limit-rules.exhausted-bucket-reaches-no-engine'],
    patch: answering(every(isEmptyBucket, on({ path: '/v1/embeddings' })), (reply) =>
      withHeader(reply, 'Retry-After', '1'),
    ),
  },
  'no-retry-after-on-plain-rate-limit: empty-bucket-says-a-minute': {
    besides: ['router.rate-limit-rules.exhausted-bucket-no-retry-after'],
    patch: answering(isEmptyBucket, (reply) => withHeader(reply, 'Retry-After', '60')),
  },
});
