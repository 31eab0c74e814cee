/** Clauses of the router contract: classification, proxying, retries, streams and headers. */

import type { Clause } from '../../requirement.ts';
import { HEADING, ADVICE, INSIDE } from './reasons.ts';

export const routingClauses = {
  'router#backend-classification': {
    where: 'Errors, Backend error classification',
    excluded: HEADING,
  },
  'router#backend-classification/type-location': {
    where: 'Errors, Backend error classification: where a type stands',
  },
  'router#backend-classification/type/context_length_exceeded': {
    where: 'Errors, Backend error classification: types, context_length_exceeded',
  },
  'router#backend-classification/type/invalid_request_error': {
    where: 'Errors, Backend error classification: types, invalid_request_error',
  },
  'router#backend-classification/type/invalid_parameter': {
    where: 'Errors, Backend error classification: types, invalid_parameter',
  },
  'router#backend-classification/precedence': {
    where: 'Errors, Backend error classification: type before status',
  },
  'router#backend-classification/status/wording': {
    where: 'Errors, Backend error classification: statuses, wording',
  },
  'router#backend-classification/status/400-422': {
    where: 'Errors, Backend error classification: statuses, other 400 and 422',
  },
  'router#backend-classification/status/429-503': {
    where: 'Errors, Backend error classification: statuses, 429 and 503',
  },
  'router#backend-classification/status/other': {
    where: 'Errors, Backend error classification: statuses, all others',
  },
  'router#backend-classification/message': {
    where: 'Errors, Backend error classification: message from JSON',
  },
  'router#backend-classification/truncation': {
    where: 'Errors, Backend error classification: raw body',
  },
  'router#transparent-proxy': { where: 'Errors, Transparent proxy routes', excluded: HEADING },
  'router#transparent-proxy/forwarding': {
    where: 'Errors, Transparent proxy routes: forwarding',
  },
  'router#transparent-proxy/envelope-kept': {
    where: 'Errors, Transparent proxy routes: the envelope survives',
  },
  'router#transparent-proxy/wrapped': {
    where: 'Errors, Transparent proxy routes: anything else is wrapped',
  },
  'router#retry-behaviour': { where: 'Errors, Internal retry behaviour', excluded: HEADING },
  'router#retry-behaviour/1': { where: 'Errors, Internal retry behaviour: rule 1' },
  'router#retry-behaviour/2': { where: 'Errors, Internal retry behaviour: rule 2, redial' },
  'router#retry-behaviour/2/max-tries': {
    where: 'Errors, Internal retry behaviour: rule 2, tries not consumed',
    excluded: INSIDE,
  },
  'router#retry-behaviour/3': { where: 'Errors, Internal retry behaviour: rule 3, another agent' },
  'router#retry-behaviour/3/max-tries': {
    where: 'Errors, Internal retry behaviour: rule 3, bound on tries',
  },
  'router#retry-behaviour/3/steps': {
    where: 'Errors, Internal retry behaviour: rule 3, fallback steps',
  },
  'router#retry-behaviour/3/provider': {
    where: 'Errors, Internal retry behaviour: rule 3, provider fallback',
  },
  'router#retry-behaviour/4': { where: 'Errors, Internal retry behaviour: rule 4' },
  'router#retry-behaviour/5': { where: 'Errors, Internal retry behaviour: rule 5' },
  'router#retry-behaviour/6': { where: 'Errors, Internal retry behaviour: rule 6' },
  'router#retry-behaviour/7': {
    where: 'Errors, Internal retry behaviour: rule 7',
    excluded: 'about message text, which is never matched',
  },
  'router#retry-behaviour/8': { where: 'Errors, Internal retry behaviour: rule 8, no idempotency' },
  'router#retry-behaviour/8/ambiguity': {
    where: 'Errors, Internal retry behaviour: rule 8, ambiguity of timeouts',
    excluded: 'says what may be and forbids nothing',
  },
  'router#streaming': { where: 'Errors, Streaming', excluded: HEADING },
  'router#streaming/before-start': { where: 'Errors, Streaming: before the stream' },
  'router#streaming/status': { where: 'Errors, Streaming: status of a begun stream' },
  'router#streaming/failure': { where: 'Errors, Streaming: how a later failure shows' },
  'router#streaming/clients': { where: 'Errors, Streaming: last sentence', excluded: ADVICE },
  'router#headers': { where: 'Errors, Response headers', excluded: HEADING },
  'router#headers/x-request-id': { where: 'Errors, Response headers: X-Request-ID' },
  'router#headers/traceparent': { where: 'Errors, Response headers: traceparent' },
  'router#headers/www-authenticate': { where: 'Errors, Response headers: WWW-Authenticate' },
  'router#headers/remaining-requests': {
    where: 'Errors, Response headers: X-RateLimit-Remaining-Requests',
  },
  'router#headers/remaining-tokens': {
    where: 'Errors, Response headers: X-RateLimit-Remaining-Tokens',
  },
  'router#headers/retry-after': { where: 'Errors, Response headers: Retry-After' },
  'router#headers/unlimited': { where: 'Errors, Response headers: unlimited quotas' },
  'router#headers/no-general-retry-after': {
    where: 'Errors, Response headers: no general Retry-After',
  },
  'router#headers/backend-headers': { where: 'Errors, Response headers: headers of backends' },
} as const satisfies Readonly<Record<string, Clause>>;
