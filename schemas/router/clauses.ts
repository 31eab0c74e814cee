/** The register of everything that the router contract says, by anchor, with what is not judged and why. */

import type { Clause } from '../requirement.ts';

const HEADING = 'a heading or summary; what stands below it is judged';
const ADVICE = 'advice to clients; it binds no server';
const NOT_SHOWN = 'the document says that it does not show this';
const INSIDE = 'happens inside the deployment; no response shows it';

export const routerClauses = {
  'router#overview': { where: 'Opening paragraph', excluded: HEADING },
  'router#overview/routing': { where: 'What the service does: routing', excluded: INSIDE },
  'router#overview/admission': {
    where: 'What the service does: admission control',
    excluded: 'a summary; the limits that it names are judged at their own rows',
  },
  'router#overview/outcome': { where: 'What the service does: backend response or error' },
  'router#overview/request-id': { where: 'What the service does: request id' },
  'router#overview/scope': { where: 'What the service does: scope', excluded: NOT_SHOWN },

  'router#endpoints': { where: 'Endpoints', excluded: HEADING },
  'router#endpoints/get-models': { where: 'Endpoints: table, model list' },
  'router#endpoints/get-models/visibility': { where: 'Endpoints: table, model list, visibility' },
  'router#endpoints/get-model': { where: 'Endpoints: table, model detail' },
  'router#endpoints/chat-completions': { where: 'Endpoints: table, chat completions' },
  'router#endpoints/messages': { where: 'Endpoints: table, messages' },
  'router#endpoints/count-tokens': { where: 'Endpoints: table, count tokens' },
  'router#endpoints/embeddings': { where: 'Endpoints: table, embeddings' },
  'router#endpoints/rerank': { where: 'Endpoints: table, rerank' },
  'router#endpoints/admin-health': { where: 'Endpoints: table, fleet health' },
  'router#endpoints/admin-routing-table': { where: 'Endpoints: table, routing state' },
  'router#endpoints/responses': { where: 'Endpoints: first point, the unsupported route' },
  'router#endpoints/model-required': { where: 'Endpoints: second point, required model' },
  'router#endpoints/model-id-length': { where: 'Endpoints: second point, length of a model id' },
  'router#endpoints/request-fields': { where: 'Endpoints: second point, other fields' },
  'router#endpoints/streams': { where: 'Endpoints: third point, server-sent events' },
  'router#endpoints/payloads': { where: 'Endpoints: fourth point', excluded: NOT_SHOWN },

  'router#authentication': { where: 'Authentication', excluded: HEADING },
  'router#authentication/1': { where: 'Authentication: rule 1, bearer credential' },
  'router#authentication/1/raw-key': { where: 'Authentication: rule 1, key and not its hash' },
  'router#authentication/1/x-api-key': { where: 'Authentication: rule 1, other header' },
  'router#authentication/2': { where: 'Authentication: rule 2, administrator key' },
  'router#authentication/2/client-key': { where: 'Authentication: rule 2, client key on admin' },
  'router#authentication/2/admin-key': { where: 'Authentication: rule 2, admin key on client' },
  'router#authentication/3': { where: 'Authentication: rule 3, expired, disabled, removed' },
  'router#authentication/3/kinds': {
    where: 'Authentication: rule 3, static and dynamic keys',
    excluded: INSIDE,
  },
  'router#authentication/4': { where: 'Authentication: rule 4, allowlist' },
  'router#authentication/5': { where: 'Authentication: rule 5, one response for all' },
  'router#authentication/5/fields': { where: 'Authentication: rule 5, code, message, source' },
  'router#authentication/5/challenge': { where: 'Authentication: rule 5, challenge' },
  'router#authentication/6': { where: 'Authentication: rule 6', excluded: NOT_SHOWN },

  'router#errors': { where: 'Errors', excluded: HEADING },
  'router#envelope': { where: 'Errors, Envelope: first sentence' },
  'router#envelope/code': { where: 'Errors, Envelope: table, code' },
  'router#envelope/message': { where: 'Errors, Envelope: table, message' },
  'router#envelope/source': { where: 'Errors, Envelope: table, source' },
  'router#envelope/admin-shape': { where: 'Errors, Envelope: first exception, admin errors' },
  'router#envelope/unregistered': { where: 'Errors, Envelope: second exception, other routes' },
  'router#envelope/body-size': { where: 'Errors, Envelope: third exception, oversize bodies' },
  'router#envelope/connections': {
    where: 'Errors, Envelope: fourth exception, lost connections',
    excluded: 'says what may happen and forbids nothing',
  },
  'router#envelope/admin-errors': { where: 'Errors, Envelope: last sentence', excluded: NOT_SHOWN },

  'router#codes': { where: 'Errors, Codes: the list as a whole' },
  'router#codes/request_invalid': { where: 'Errors, Codes: request_invalid' },
  'router#codes/request_invalid/agent': {
    where: 'Errors, Codes: request_invalid, parsing inside an agent',
    excluded:
      'an agent fails to parse only what the router let through; no request brings it about',
  },
  'router#codes/context_length_exceeded': { where: 'Errors, Codes: context_length_exceeded' },
  'router#codes/invalid_parameter': { where: 'Errors, Codes: invalid_parameter' },
  'router#codes/input_too_long': { where: 'Errors, Codes: input_too_long' },
  'router#codes/unauthorized': { where: 'Errors, Codes: unauthorized' },
  'router#codes/model_forbidden': { where: 'Errors, Codes: model_forbidden' },
  'router#codes/model_not_found': { where: 'Errors, Codes: model_not_found' },
  'router#codes/413': { where: 'Errors, Codes: 413' },
  'router#codes/rate_limit_exceeded': { where: 'Errors, Codes: rate_limit_exceeded' },
  'router#codes/token_limit_exceeded': { where: 'Errors, Codes: token_limit_exceeded' },
  'router#codes/concurrency_limit_exceeded': {
    where: 'Errors, Codes: concurrency_limit_exceeded',
  },
  'router#codes/no_agents_available': { where: 'Errors, Codes: no_agents_available' },
  'router#codes/no_capacity': { where: 'Errors, Codes: no_capacity' },
  'router#codes/agent_disconnected': { where: 'Errors, Codes: agent_disconnected' },
  'router#codes/backend_unavailable': { where: 'Errors, Codes: backend_unavailable' },
  'router#codes/queue_full': { where: 'Errors, Codes: queue_full' },
  'router#codes/backend_error': { where: 'Errors, Codes: backend_error' },
  'router#codes/request_timeout': { where: 'Errors, Codes: request_timeout' },

  'router#rate-limit-rules': { where: 'Errors, Rate limit rules', excluded: HEADING },
  'router#rate-limit-rules/1': { where: 'Errors, Rate limit rules: rule 1, exhausted bucket' },
  'router#rate-limit-rules/1/refill': { where: 'Errors, Rate limit rules: rule 1, refill' },
  'router#rate-limit-rules/1/retry-after': {
    where: 'Errors, Rate limit rules: rule 1, no Retry-After',
  },
  'router#rate-limit-rules/1/backoff': {
    where: 'Errors, Rate limit rules: rule 1, backoff of clients',
    excluded: ADVICE,
  },
  'router#rate-limit-rules/2': { where: 'Errors, Rate limit rules: rule 2, serverless kinds' },
  'router#rate-limit-rules/2/retry-after': {
    where: 'Errors, Rate limit rules: rule 2, Retry-After',
  },
  'router#rate-limit-rules/2/current': {
    where: 'Errors, Rate limit rules: rule 2, what rejects the current request',
  },
  'router#rate-limit-rules/2/later': {
    where: 'Errors, Rate limit rules: rule 2, what rejects a later request',
  },
  'router#rate-limit-rules/3': { where: 'Errors, Rate limit rules: rule 3, undeclared model' },
  'router#rate-limit-rules/3/permanent': {
    where: 'Errors, Rate limit rules: rule 3, a configuration error',
  },

  'router#token-limit-rules': { where: 'Errors, Token limit rules', excluded: HEADING },
  'router#token-limit-rules/1': { where: 'Errors, Token limit rules: rule 1, check before' },
  'router#token-limit-rules/1/header': { where: 'Errors, Token limit rules: rule 1, header' },
  'router#token-limit-rules/1/reduce': {
    where: 'Errors, Token limit rules: rule 1, a smaller request',
  },
  'router#token-limit-rules/2': { where: 'Errors, Token limit rules: rule 2, overrun' },
  'router#token-limit-rules/2/deduction': {
    where: 'Errors, Token limit rules: rule 2, what stays deducted',
  },
  'router#token-limit-rules/2/audit': {
    where: 'Errors, Token limit rules: rule 2, audit record',
    excluded: INSIDE,
  },
  'router#token-limit-rules/2/header': { where: 'Errors, Token limit rules: rule 2, header' },
  'router#token-limit-rules/2/work': {
    where: 'Errors, Token limit rules: rule 2, work of the backend',
  },
  'router#token-limit-rules/3': { where: 'Errors, Token limit rules: rule 3, streams' },
  'router#token-limit-rules/3/accounting': {
    where: 'Errors, Token limit rules: rule 3, accounting afterward',
  },
  'router#token-limit-rules/3/metric': {
    where: 'Errors, Token limit rules: rule 3, metric',
    excluded: INSIDE,
  },

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

  'router#client-handling': { where: 'Errors, Client handling by code', excluded: ADVICE },
  'router#client-handling/request_invalid': {
    where: 'Errors, Client handling by code: request_invalid',
    excluded: ADVICE,
  },
  'router#client-handling/context_length_exceeded': {
    where: 'Errors, Client handling by code: context_length_exceeded',
    excluded: ADVICE,
  },
  'router#client-handling/invalid_parameter': {
    where: 'Errors, Client handling by code: invalid_parameter',
    excluded: ADVICE,
  },
  'router#client-handling/input_too_long': {
    where: 'Errors, Client handling by code: input_too_long',
    excluded: ADVICE,
  },
  'router#client-handling/unauthorized': {
    where: 'Errors, Client handling by code: unauthorized',
    excluded: ADVICE,
  },
  'router#client-handling/model_forbidden': {
    where: 'Errors, Client handling by code: model_forbidden',
    excluded: ADVICE,
  },
  'router#client-handling/model_not_found': {
    where: 'Errors, Client handling by code: model_not_found',
    excluded: ADVICE,
  },
  'router#client-handling/413': {
    where: 'Errors, Client handling by code: 413',
    excluded: ADVICE,
  },
  'router#client-handling/rate_limit_exceeded': {
    where: 'Errors, Client handling by code: rate_limit_exceeded',
    excluded: ADVICE,
  },
  'router#client-handling/token_limit_exceeded': {
    where: 'Errors, Client handling by code: token_limit_exceeded',
    excluded: ADVICE,
  },
  'router#client-handling/concurrency_limit_exceeded': {
    where: 'Errors, Client handling by code: concurrency_limit_exceeded',
    excluded: ADVICE,
  },
  'router#client-handling/no_agents_available': {
    where: 'Errors, Client handling by code: no_agents_available',
    excluded: ADVICE,
  },
  'router#client-handling/no_capacity': {
    where: 'Errors, Client handling by code: no_capacity',
    excluded: ADVICE,
  },
  'router#client-handling/agent_disconnected': {
    where: 'Errors, Client handling by code: agent_disconnected',
    excluded: ADVICE,
  },
  'router#client-handling/backend_unavailable': {
    where: 'Errors, Client handling by code: backend_unavailable',
    excluded: ADVICE,
  },
  'router#client-handling/queue_full': {
    where: 'Errors, Client handling by code: queue_full',
    excluded: ADVICE,
  },
  'router#client-handling/backend_error': {
    where: 'Errors, Client handling by code: backend_error',
    excluded: ADVICE,
  },
  'router#client-handling/request_timeout': {
    where: 'Errors, Client handling by code: request_timeout',
    excluded: ADVICE,
  },

  'router#limits': { where: 'Limits', excluded: HEADING },
  'router#limits/body-size': { where: 'Limits: request body size' },
  'router#limits/body-size/default': {
    where: 'Limits: request body size, default',
    excluded:
      'a default that a deployment may set otherwise; no response tells a set value from it',
  },
  'router#limits/body-size/disabled': { where: 'Limits: request body size, zero' },
  'router#limits/model-id-length': { where: 'Limits: model id length' },
  'router#limits/requests-per-minute': { where: 'Limits: requests per minute' },
  'router#limits/serverless': { where: 'Limits: serverless occupancy and token rates' },
  'router#limits/daily-tokens': { where: 'Limits: daily tokens' },
  'router#limits/daily-tokens/reset': {
    where: 'Limits: daily tokens, reset',
    excluded: 'seen only across midnight UTC; a run does not wait for it',
  },
  'router#limits/input-caps': { where: 'Limits: input tokens and images' },
  'router#limits/occupancy': { where: 'Limits: occupancy, requests in flight, park time' },
  'router#limits/shed': { where: 'Limits: shedding threshold' },
  'router#limits/queue': { where: 'Limits: pending channel' },
  'router#limits/deadline': { where: 'Limits: end-to-end deadline' },
  'router#limits/agent-capacity': { where: 'Limits: agent capacity' },
  'router#limits/processor-concurrency': { where: 'Limits: processor concurrency' },
  'router#limits/backend-message': { where: 'Limits: length of a raw backend message' },
  'router#limits/quota-structure': {
    where: 'Limits: structure of a quota',
    excluded: 'configuration of the deployment; its effect is judged at the rate limit rules',
  },
  'router#limits/defaults': { where: 'Limits: last sentence', excluded: NOT_SHOWN },
} as const satisfies Readonly<Record<string, Clause>>;

export type RouterClause = keyof typeof routerClauses;
