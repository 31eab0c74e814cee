/** Clauses of the router contract: the envelope, the codes and the rules of rates and tokens. */

import type { Clause } from '../../requirement.ts';
import { HEADING, ADVICE, NOT_SHOWN, INSIDE } from './reasons.ts';

export const errorsClauses = {
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
} as const satisfies Readonly<Record<string, Clause>>;
