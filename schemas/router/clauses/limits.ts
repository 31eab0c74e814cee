/** Clauses of the router contract: advice by code, and limits. */

import type { Clause } from '../../requirement.ts';
import { HEADING, ADVICE, NOT_SHOWN } from './reasons.ts';

export const limitsClauses = {
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
  'router#limits/daily-tokens/reset': { where: 'Limits: daily tokens, reset' },
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
