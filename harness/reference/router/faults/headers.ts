/** Headers that are missing, malformed, or stand where they must not. */

import type { Fault } from '../../fault.ts';
import { headerOf, withHeader } from '../../http.ts';
import type { RouterRules } from '../rules/rules.ts';
import {
  amend,
  answering,
  every,
  faultTable,
  onPath,
  replace,
  unless,
  type When,
  withCode,
} from './answering.ts';

const hasStatus =
  (status: number): When =>
  (reply) =>
    reply.status === status;

/** A valid trace context that is then broken in one way. */
function tracing(change: (value: string) => string): (rules: RouterRules) => RouterRules {
  return replace('traceparent', (original, headers) =>
    change(original(headers) ?? `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`),
  );
}

const traces = faultTable({
  'router.response-headers.traceparent-valid': {
    'traceparent-in-upper-case': tracing(() => `00-${'A'.repeat(32)}-${'B'.repeat(16)}-01`),
    'traceparent-all-zero': {
      says: 'Writes a trace id of zeroes when nothing is traced.',
      patch: tracing((value) => value.replace(/-[0-9a-f]{32}-/u, `-${'0'.repeat(32)}-`)),
    },
    'traceparent-without-flags-on-401': answering(hasStatus(401), (reply) =>
      withHeader(reply, 'traceparent', headerOf(reply, 'traceparent')?.slice(0, -3)),
    ),
  },
});

const challenges = faultTable({
  'router.response-headers.challenge-on-client-routes': {
    'no-challenge-on-detail': answering(
      every(hasStatus(401), onPath(/^\/v1\/models\//u)),
      (reply) => withHeader(reply, 'WWW-Authenticate', undefined),
    ),
    'basic-challenge-on-chat': answering(
      every(hasStatus(401), onPath('/v1/chat/completions')),
      (reply) => withHeader(reply, 'WWW-Authenticate', 'Basic realm="router"'),
    ),
  },
  'router.response-headers.challenge-on-admin-routes': {
    'no-challenge-on-routing-table': answering(
      every(hasStatus(401), onPath('/admin/routing-table')),
      (reply) => withHeader(reply, 'WWW-Authenticate', undefined),
    ),
  },
});

const REQUESTS = 'X-RateLimit-Remaining-Requests';
const TOKENS = 'X-RateLimit-Remaining-Tokens';
const has =
  (name: string): When =>
  (reply) =>
    headerOf(reply, name) !== undefined;
const ofKey =
  (pattern: RegExp): When =>
  (_reply, { key }) =>
    pattern.test(key?.name ?? '');

const quotas = faultTable({
  'router.response-headers.remaining-requests-integer': {
    'remaining-requests-with-fraction': answering(every(has(REQUESTS), hasStatus(200)), (reply) =>
      withHeader(reply, REQUESTS, `${headerOf(reply, REQUESTS)}.5`),
    ),
  },
  'router.response-headers.remaining-requests-counts-down': {
    'remaining-requests-never-change': answering(
      every(has(REQUESTS), (reply) => headerOf(reply, REQUESTS) !== '0'),
      (reply) => withHeader(reply, REQUESTS, '60'),
    ),
    'remaining-requests-grow': {
      says: 'Says ever more remaining requests.',
      patch: (rules) => {
        let said = 0;
        return answering(
          every(has(REQUESTS), hasStatus(200), ofKey(/^requestsPerMinute$/u)),
          (reply) => {
            said += 7;
            return withHeader(reply, REQUESTS, String(said));
          },
        )(rules);
      },
    },
  },
  'router.response-headers.remaining-tokens-integer': {
    'remaining-tokens-in-words': answering(every(has(TOKENS), hasStatus(200)), (reply) =>
      withHeader(reply, TOKENS, `${headerOf(reply, TOKENS)} tokens`),
    ),
  },
  'router.response-headers.remaining-tokens-counts-down': {
    'remaining-tokens-never-change': {
      says: 'Says with every success that the whole daily budget remains.',
      patch: answering(every(has(TOKENS), hasStatus(200)), (reply) =>
        withHeader(reply, TOKENS, '2000'),
      ),
    },
    'remaining-tokens-change-in-refusals-alone': {
      says: 'Says with every success that the whole budget remains, and takes more for a request than it writes.',
      patch: (rules) => ({
        ...answering(every(has(TOKENS), hasStatus(200)), (reply) =>
          withHeader(reply, TOKENS, '2000'),
        )(rules),
        estimateInput: (body, context) => rules.estimateInput(body, context) + 100,
      }),
    },
  },
  'router.response-headers.unlimited-omitted': {
    'unlimited-key-told-a-large-number': {
      says: 'Tells a key without quotas that a great many requests remain.',
      patch: answering(ofKey(/^unlimited$/u), (reply) => withHeader(reply, REQUESTS, '999999999')),
    },
    'unlimited-key-told-tokens': answering(every(ofKey(/^unlimited$/u), hasStatus(200)), (reply) =>
      withHeader(reply, TOKENS, String(Number.MAX_SAFE_INTEGER)),
    ),
  },
  'router.response-headers.unlimited-not-negative': {
    'unlimited-is-minus-one': {
      besides: ['router.response-headers.remaining-tokens-integer'],
      patch: answering(ofKey(/^client$/u), (reply) => withHeader(reply, TOKENS, '-1')),
    },
  },
});

const RETRY_AFTER = 'Retry-After';
const saying = (value: string | undefined, when: When) =>
  answering(when, (reply) => withHeader(reply, RETRY_AFTER, value));
const isSlotFull = withCode('no_capacity');

const retries = faultTable({
  'router.response-headers.retry-after-on-concurrency': {
    'concurrency-limit-without-retry-after': saying(
      undefined,
      withCode('concurrency_limit_exceeded'),
    ),
    'concurrency-limit-retry-after-is-a-date': saying(
      'Wed, 21 Oct 2015 07:28:00 GMT',
      withCode('concurrency_limit_exceeded'),
    ),
  },
  'router.response-headers.retry-after-seconds': {
    'serverless-retry-after-is-negative': {
      exercisedBy: ['router.admission.serverless-share-back'],
      patch: unless('retryAfter', (failure) => failure.detail.quota === 'serverless', '-1'),
    },
  },
  'router.response-headers.no-retry-after-elsewhere': {
    'retry-after-with-no-capacity': saying('1', isSlotFull),
    'retry-after-with-no-agents': {
      exercisedBy: ['router.codes.no-agents-available'],
      patch: saying('5', withCode('no_agents_available')),
    },
    'retry-after-with-token-limit': {
      exercisedBy: ['router.retry-behaviour.token-limit-stops'],
      patch: saying('3600', withCode('token_limit_exceeded')),
    },
    'retry-after-with-timeouts': {
      exercisedBy: ['router.admission.timeout-at-engine'],
      patch: saying('1', withCode('request_timeout')),
    },
  },
  'router.response-headers.no-retry-after-of-engines': {
    'retry-after-of-engines-passed-on': amend('answer', (reply, _plain, { engineError }) => {
      const value = engineError?.headers['retry-after'];
      return value === undefined ? reply : withHeader(reply, RETRY_AFTER, value);
    }),
  },
  'router.response-headers.no-retry-after-on-backend-errors': {
    'retry-after-with-unavailable-engines': saying('1', withCode('backend_unavailable')),
    'retry-after-with-unavailable-engines-of-streams': saying(
      '1',
      every(withCode('backend_unavailable'), (_reply, context) => context.stream),
    ),
    'retry-after-with-context-length': saying('1', withCode('context_length_exceeded')),
  },
});

export const headerFaults: readonly Fault<RouterRules>[] = [
  ...traces,
  ...challenges,
  ...quotas,
  ...retries,
];
