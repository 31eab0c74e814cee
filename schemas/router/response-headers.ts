/** Response headers: the responses that carry each header, and its valid values. */

import { chat } from './needs.ts';
import { z } from 'zod';
import { cited, clause, excluded, stated, implied, open, section } from '../requirement.ts';

/** A UUID of any version and variant. */
export const requestId = z.guid();

/** W3C trace context in lower-case hexadecimal, without all-zero ids; versions later than 00 may have more parts. */
export const traceparent = z
  .string()
  .regex(
    /^(?!ff)(?:00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}|(?!00)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?)$/,
  );

/** The remainder of a quota as a header value: only digits. */
export const remaining = z.string().regex(/^\d+$/);

/** Whole seconds to wait as a header value: only digits, no date and no fraction. */
export const retryAfterSeconds = z.string().regex(/^\d+$/);

export const responseHeader = section('router', 'response-headers', [
  clause('overview/request-id', 'What the service does: request id', {
    'request-id-on-error': stated.universal(
      'Every error other than 401, 404 and 413 carries X-Request-ID.',
      {
        judged: 'not on answers that the HTTP server itself may give to what is no proper request',
      },
    ),
  }),
  excluded.notShown('overview/scope', 'What the service does: scope'),
  clause('codes/413', 'Errors, Codes: 413', {
    'request-id-on-oversize': implied.universal('A 413 carries X-Request-ID.', {
      judged: 'implied: the table gives the server as the source of a 413, not the router',
      needs: ['limits.maxRequestBytes'],
    }),
  }),
  excluded.heading('headers', 'Errors, Response headers'),
  cited('headers', {
    'session-id-echo': open('Whether a session id header that the client sends comes back.'),
  }),
  clause('headers/x-request-id', 'Errors, Response headers: X-Request-ID', {
    'request-id-on-success': stated.universal(
      'Every success that is no stream carries X-Request-ID.',
    ),
    'request-id-on-stream': stated.universal('Every stream carries X-Request-ID.'),
    'request-id-on-unauthorized': stated.universal('Every 401 carries X-Request-ID.'),
    'request-id-on-not-found': stated.universal(
      'Every 404 carries X-Request-ID, that of an unsupported route included.',
    ),
    'request-id-uuid': stated.universal('X-Request-ID is a UUID.'),
    'request-id-uuid-despite-client': stated(
      'X-Request-ID of the response is a UUID when the client sent something else.',
    ),
    'request-id-fresh': implied('Two requests that bring no id of their own get different ids.'),
    'request-id-echo': open('Whether an X-Request-ID that the client sends comes back.'),
  }),
  clause('headers/traceparent', 'Errors, Response headers: traceparent', {
    'traceparent-valid': stated.universal(
      'A traceparent, where there is one, is valid W3C trace context.',
    ),
    'traceparent-presence': open(
      'Which responses carry a traceparent, and whether it continues that of the client.',
    ),
  }),
  clause('headers/www-authenticate', 'Errors, Response headers: WWW-Authenticate', {
    'challenge-on-client-routes': stated.universal(
      'Every 401 of a client route carries a Bearer challenge.',
    ),
    'challenge-on-admin-routes': stated.universal(
      'Every 401 of an administrator route carries a Bearer challenge.',
    ),
  }),
  clause('headers/remaining-requests', 'Errors, Response headers: X-RateLimit-Remaining-Requests', {
    'remaining-requests-integer': stated.universal(
      'X-RateLimit-Remaining-Requests, where it is, is a whole number of at least zero.',
    ),
    'remaining-requests-counts-down': stated(
      'The remaining requests that answers tell go down while the bucket of a key is emptied, and grow by no more than it refills.',
      ['keys.requestsPerMinute'],
    ),
    'remaining-presence': open(
      'Which responses of a key with quotas carry the remaining headers.',
      ['keys.requestsPerMinute'],
    ),
  }),
  clause('headers/remaining-tokens', 'Errors, Response headers: X-RateLimit-Remaining-Tokens', {
    'remaining-tokens-integer': stated.universal(
      'X-RateLimit-Remaining-Tokens, where it is, is a whole number of at least zero.',
    ),
    'remaining-tokens-counts-down': stated(
      'The remaining tokens that answers tell go down as the budget of a key is used, and do not grow during a UTC day.',
      ['keys.tokensPerDay', 'models.chat', 'backend'],
    ),
  }),
  clause('headers/retry-after', 'Errors, Response headers: Retry-After', {
    'retry-after-on-concurrency': stated.universal(
      'Every concurrency_limit_exceeded carries Retry-After in whole seconds.',
    ),
    'retry-after-seconds': stated.universal(
      'Retry-After on a rate limit, where it is, is a whole number of seconds.',
    ),
    'no-retry-after-on-plain-rate-limit': stated.universal(
      'No rate_limit_exceeded outside serverless policies carries Retry-After.',
      { judged: 'where key and model are known not to be serverless' },
    ),
    'retry-after-value': stated.universal(
      'The Retry-After of a concurrency_limit_exceeded and of a serverless rate limit asks for 1 second.',
    ),
  }),
  clause('headers/unlimited', 'Errors, Response headers: unlimited quotas', {
    'unlimited-omitted': stated('A key without quotas gets neither of the remaining headers.', [
      'keys.unlimited',
    ]),
    'other-quota-omitted': stated(
      'A key with a request quota and unlimited tokens is told of no remaining tokens.',
      ['keys.requestsPerMinute', 'keys.requestsPerMinute.tokens'],
    ),
    'unlimited-not-negative': stated.universal('No remaining header is ever negative.'),
  }),
  clause('headers/no-general-retry-after', 'Errors, Response headers: no general Retry-After', {
    'no-retry-after-elsewhere': stated.universal(
      'No other error of the router itself carries Retry-After.',
      { judged: 'errors with source router; a header of an engine may survive on the others' },
    ),
    'no-retry-after-on-backend-errors': chat.stated(
      'An engine error without Retry-After does not gain one at the router.',
    ),
    'no-retry-after-of-engines': chat.implied(
      'A Retry-After of an engine does not come out on the error that it becomes.',
      'for a 429 and a 503; headers of engines may survive, and this one says what clients do',
    ),
  }),
  clause('headers/backend-headers', 'Errors, Response headers: headers of backends', {
    'backend-headers': chat.open('Whether headers of an engine survive on an error.'),
  }),
]);
