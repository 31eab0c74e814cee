/** Response headers: which header stands on which answers and what it may hold. */

import { z } from 'zod';
import { routerSection } from './section.ts';

/** A UUID of any version and variant. */
export const requestId = z.guid();

/**
 * W3C trace context: version, trace id, parent id, flags, in lower-case hexadecimal, with ids that are not
 * all zero. A later version than 00 may carry more parts.
 */
export const traceparent = z
  .string()
  .regex(
    /^(?!ff)(?:00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}|(?!00)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?)$/,
  );

/** What remains of a quota, as a header value: digits alone. */
export const remaining = z.string().regex(/^\d+$/);

/** Whole seconds to wait, as a header value: digits alone, no date and no fraction. */
export const retryAfterSeconds = z.string().regex(/^\d+$/);

export const responseHeaderRequirements = routerSection('response-headers', {
  'request-id-on-success': {
    clause: 'router#headers/x-request-id',
    strength: 'stated',
    statement: 'Every success that is no stream carries X-Request-ID.',
    universal: true,
  },
  'request-id-on-stream': {
    clause: 'router#headers/x-request-id',
    strength: 'stated',
    statement: 'Every stream carries X-Request-ID.',
    universal: true,
  },
  'request-id-on-error': {
    clause: 'router#overview/request-id',
    strength: 'stated',
    statement: 'Every error other than 401, 404 and 413 carries X-Request-ID.',
    judged: 'not on answers that the HTTP server itself may give to what is no proper request',
    universal: true,
  },
  'request-id-on-unauthorized': {
    clause: 'router#headers/x-request-id',
    strength: 'stated',
    statement: 'Every 401 carries X-Request-ID.',
    universal: true,
  },
  'request-id-on-not-found': {
    clause: 'router#headers/x-request-id',
    strength: 'stated',
    statement: 'Every 404 carries X-Request-ID, that of an unsupported route included.',
    universal: true,
  },
  'request-id-on-oversize': {
    clause: 'router#codes/413',
    strength: 'implied',
    statement: 'A 413 carries X-Request-ID.',
    judged: 'implied: the table gives the server as the source of a 413, not the router',
    needs: ['limits.maxRequestBytes'],
    universal: true,
  },
  'request-id-uuid': {
    clause: 'router#headers/x-request-id',
    strength: 'stated',
    statement: 'X-Request-ID is a UUID.',
    universal: true,
  },
  'request-id-uuid-despite-client': {
    clause: 'router#headers/x-request-id',
    strength: 'stated',
    statement: 'X-Request-ID of the response is a UUID when the client sent something else.',
  },
  'request-id-fresh': {
    clause: 'router#headers/x-request-id',
    strength: 'implied',
    statement: 'Two requests that bring no id of their own get different ids.',
  },
  'request-id-echo': {
    clause: 'router#headers/x-request-id',
    strength: 'open',
    statement: 'Whether an X-Request-ID that the client sends comes back.',
  },
  'session-id-echo': {
    clause: 'router#headers',
    strength: 'open',
    statement: 'Whether a session id header that the client sends comes back.',
  },
  'traceparent-valid': {
    clause: 'router#headers/traceparent',
    strength: 'stated',
    statement: 'A traceparent, where there is one, is valid W3C trace context.',
    universal: true,
  },
  'traceparent-presence': {
    clause: 'router#headers/traceparent',
    strength: 'open',
    statement: 'Which responses carry a traceparent, and whether it continues that of the client.',
  },
  'challenge-on-client-routes': {
    clause: 'router#headers/www-authenticate',
    strength: 'stated',
    statement: 'Every 401 of a client route carries a Bearer challenge.',
    universal: true,
  },
  'challenge-on-admin-routes': {
    clause: 'router#headers/www-authenticate',
    strength: 'stated',
    statement: 'Every 401 of an administrator route carries a Bearer challenge.',
    universal: true,
  },
  'remaining-requests-integer': {
    clause: 'router#headers/remaining-requests',
    strength: 'stated',
    statement: 'X-RateLimit-Remaining-Requests, where it is, is a whole number of at least zero.',
    universal: true,
  },
  'remaining-tokens-integer': {
    clause: 'router#headers/remaining-tokens',
    strength: 'stated',
    statement: 'X-RateLimit-Remaining-Tokens, where it is, is a whole number of at least zero.',
    universal: true,
  },
  'remaining-requests-counts-down': {
    clause: 'router#headers/remaining-requests',
    strength: 'stated',
    statement:
      'The remaining requests that answers tell go down while the bucket of a key is emptied, and grow by no more than it refills.',
    needs: ['keys.requestsPerMinute'],
  },
  'remaining-tokens-counts-down': {
    clause: 'router#headers/remaining-tokens',
    strength: 'stated',
    statement:
      'The remaining tokens that answers tell go down as the budget of a key is used, and do not grow during a UTC day.',
    needs: ['keys.tokensPerDay', 'models.chat', 'backend'],
  },
  'remaining-presence': {
    clause: 'router#headers/remaining-requests',
    strength: 'open',
    statement: 'Which responses of a key with quotas carry the remaining headers.',
    needs: ['keys.requestsPerMinute'],
  },
  'unlimited-omitted': {
    clause: 'router#headers/unlimited',
    strength: 'stated',
    statement: 'A key without quotas gets neither of the remaining headers.',
    needs: ['keys.unlimited'],
  },
  'other-quota-omitted': {
    clause: 'router#headers/unlimited',
    strength: 'stated',
    statement: 'A key with a request quota and unlimited tokens is told of no remaining tokens.',
    needs: ['keys.requestsPerMinute', 'keys.requestsPerMinute.tokens'],
  },
  'unlimited-not-negative': {
    clause: 'router#headers/unlimited',
    strength: 'stated',
    statement: 'No remaining header is ever negative.',
    universal: true,
  },
  'retry-after-on-concurrency': {
    clause: 'router#headers/retry-after',
    strength: 'stated',
    statement: 'Every concurrency_limit_exceeded carries Retry-After in whole seconds.',
    universal: true,
  },
  'retry-after-seconds': {
    clause: 'router#headers/retry-after',
    strength: 'stated',
    statement: 'Retry-After on a rate limit, where it is, is a whole number of seconds.',
    universal: true,
  },
  'no-retry-after-elsewhere': {
    clause: 'router#headers/no-general-retry-after',
    strength: 'stated',
    statement: 'No other error of the router itself carries Retry-After.',
    judged: 'errors with source router; a header of an engine may survive on the others',
    universal: true,
  },
  'no-retry-after-on-plain-rate-limit': {
    clause: 'router#headers/retry-after',
    strength: 'stated',
    statement: 'No rate_limit_exceeded outside serverless policies carries Retry-After.',
    judged: 'where key and model are known not to be serverless',
    universal: true,
  },
  'no-retry-after-on-backend-errors': {
    clause: 'router#headers/no-general-retry-after',
    strength: 'stated',
    statement: 'An engine error without Retry-After does not gain one at the router.',
    needs: ['backend', 'models.chat'],
  },
  'no-retry-after-of-engines': {
    clause: 'router#headers/no-general-retry-after',
    strength: 'implied',
    statement: 'A Retry-After of an engine does not come out on the error that it becomes.',
    judged:
      'for a 429 and a 503; headers of engines may survive, and this one says what clients do',
    needs: ['backend', 'models.chat'],
  },
  'retry-after-value': {
    clause: 'router#headers/retry-after',
    strength: 'stated',
    statement:
      'The Retry-After of a concurrency_limit_exceeded and of a serverless rate limit asks for 1 second.',
    universal: true,
  },
  'backend-headers': {
    clause: 'router#headers/backend-headers',
    strength: 'open',
    statement: 'Whether headers of an engine survive on an error.',
    needs: ['backend', 'models.chat'],
  },
});
