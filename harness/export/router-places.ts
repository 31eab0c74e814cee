/** Where in the OpenAPI document each requirement of the router contract stands. */

import { codeTable, isRouterCode } from '../../schemas/router/codes.ts';
import type { Requirement } from '../../schemas/requirement.ts';
import type { Place } from './placement.ts';

/** Where the requirements of a section stand. */
const bySection: Readonly<Record<string, (requirement: Requirement) => Place>> = {
  endpoints: endpointPlace,
  authentication: authenticationPlace,
  envelope: envelopePlace,
  codes: codePlace,
  'rate-limit-rules': () => 'response:429',
  'token-limit-rules': () => 'response:429',
  'backend-classification': () => 'operation:chatCompletions',
  'transparent-proxy': proxyPlace,
  'retry-behaviour': () => 'document',
  streaming: () => 'response:chatCompletions',
  'response-headers': headerPlace,
  limits: limitPlace,
  admission: admissionPlace,
};

/** The place of a requirement of the router contract. */
export function routerPlace(requirement: Requirement): Place {
  return bySection[requirement.section]?.(requirement) ?? 'document';
}

function slugOf({ id }: Requirement): string {
  return id.split('.').at(-1) ?? '';
}

/** Ends of clauses of the endpoint table, with the route that each one is about. */
const endpoints: Readonly<Record<string, string>> = {
  'get-models': 'models',
  'get-model': 'model',
  'chat-completions': 'chatCompletions',
  messages: 'messages',
  'count-tokens': 'countTokens',
  embeddings: 'embeddings',
  rerank: 'rerank',
  'admin-health': 'adminHealth',
  'admin-routing-table': 'adminRoutingTable',
};

function endpointPlace(requirement: Requirement): Place {
  const slug = slugOf(requirement);
  if (slug.startsWith('models-list-') && slug !== 'models-list-hides') return 'schema:ModelList';
  if (slug.startsWith('chat-completions-')) return 'operation:chatCompletions';
  const [, named = ''] = /^router#endpoints\/([\w-]+)/u.exec(requirement.clause) ?? [];
  if (named === 'request-fields') return 'schema:InferenceRequest';
  const route = endpoints[named];
  return route === undefined ? 'document' : `operation:${route}`;
}

function authenticationPlace(requirement: Requirement): Place {
  const slug = slugOf(requirement);
  if (slug.startsWith('allowlist-')) return 'response:403';
  if (slug === 'challenge-realm') return 'header:WWW-Authenticate';
  if (slug.startsWith('refusal-')) return 'response:401';
  if (slug === 'order-unsupported-route') return 'document';
  return /on-admin|client-key-on/u.test(slug) ? 'security:adminKey' : 'security:clientKey';
}

function envelopePlace(requirement: Requirement): Place {
  const slug = slugOf(requirement);
  if (slug === 'code' || slug === 'message' || slug === 'source') return `property:Error.${slug}`;
  if (slug === 'object' || slug === 'content-type') return 'schema:Error';
  return slug === 'oversize-body' ? 'response:413' : 'document';
}

function codePlace({ id, clause }: Requirement): Place {
  if (id.endsWith('.known-codes')) return 'property:Error.code';
  if (clause === 'router#endpoints/model-required') return 'property:InferenceRequest.model';
  const [, code = ''] = /^router#codes\/(\w+)/u.exec(clause) ?? [];
  return isRouterCode(code) ? `response:${codeTable[code].statuses[0]}` : 'document';
}

const proxySlugs = [
  ['messages-', 'messages'],
  ['count-tokens-', 'countTokens'],
  ['embeddings-', 'embeddings'],
  ['rerank-', 'rerank'],
] as const;

function proxyPlace(requirement: Requirement): Place {
  const slug = slugOf(requirement);
  const route = proxySlugs.find(([begin]) => slug.startsWith(begin))?.[1];
  return route === undefined ? 'response:502' : `operation:${route}`;
}

/** Ends of clauses on headers, with the header that each one is about. */
const headers: Readonly<Record<string, string>> = {
  'router#headers/x-request-id': 'X-Request-ID',
  'router#overview/request-id': 'X-Request-ID',
  'router#codes/413': 'X-Request-ID',
  'router#headers/traceparent': 'traceparent',
  'router#headers/www-authenticate': 'WWW-Authenticate',
  'router#headers/remaining-requests': 'X-RateLimit-Remaining-Requests',
  'router#headers/remaining-tokens': 'X-RateLimit-Remaining-Tokens',
  'router#headers/unlimited': 'X-RateLimit-Remaining-Requests',
  'router#headers/retry-after': 'Retry-After',
};

function headerPlace({ clause }: Requirement): Place {
  const header = headers[clause];
  return header === undefined ? 'document' : `header:${header}`;
}

function limitPlace({ clause }: Requirement): Place {
  if (clause.endsWith('/model-id-length')) return 'property:InferenceRequest.model';
  return clause.includes('/body-size') ? 'response:413' : 'response:400';
}

function admissionPlace({ clause }: Requirement): Place {
  if (/occupancy|shed|concurrency_limit|serverless/u.test(clause)) return 'response:429';
  return /deadline|request_timeout|processor/u.test(clause) ? 'response:504' : 'response:503';
}
