/** Where the requirements of the router stand in a document, and its responses. */

import { codeTable, isRouterCode, type RouterCode } from '../../schemas/router/codes.ts';
import type { Requirement } from '../../schemas/requirement.ts';
import {
  errorSchemas,
  json,
  type JsonObject,
  jsonSchemaOf,
  type Place,
  placedBy,
  type Placement,
  refer,
  type Refer,
  slugOf,
} from './openapi.ts';
import {
  remaining,
  requestId,
  retryAfterSeconds,
  traceparent,
} from '../../schemas/router/response-headers.ts';

/** The place of a requirement: of its section, or by its clause. */
export const routerPlace = placedBy({
  endpoints: endpointPlace,
  authentication: authenticationPlace,
  envelope: envelopePlace,
  codes: codePlace,
  'rate-limit-rules': () => 'response:429',
  'token-limit-rules': () => 'response:429',
  'backend-classification': () => 'operation:chatCompletions',
  'transparent-proxy': proxyPlace,
  streaming: () => 'response:chatCompletions',
  'response-headers': headerPlace,
  limits: limitPlace,
  admission: admissionPlace,
});

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

/** The one status with neither code nor body of its own (router#codes/413). */
const OVERSIZE = 413;

const codes: readonly RouterCode[] = Object.keys(codeTable).filter(isRouterCode);

/** Every status that the code table has, in order. */
const statuses: readonly number[] = [
  ...new Set(codes.flatMap((code): readonly number[] => codeTable[code].statuses)),
].toSorted((one, other) => one - other);

/** The headers of the contract as components. */
export function routerHeaders(placement: Placement): JsonObject {
  const header = (name: string, required: boolean, description: string, schema: JsonObject) => ({
    [name]: { description, required, schema, ...placement.at(`header:${name}`) },
  });
  return {
    ...header('X-Request-ID', true, 'Names the request; never a key that makes a request unique.', {
      ...jsonSchemaOf(requestId),
    }),
    ...header('traceparent', false, 'W3C trace context, where there is a span.', {
      ...jsonSchemaOf(traceparent),
    }),
    ...header('WWW-Authenticate', true, 'A Bearer challenge with a realm.', { type: 'string' }),
    ...header(
      'X-RateLimit-Remaining-Requests',
      false,
      'For keys with a finite number of requests.',
      jsonSchemaOf(remaining),
    ),
    ...header(
      'X-RateLimit-Remaining-Tokens',
      false,
      'For keys with a finite number of tokens a day.',
      jsonSchemaOf(remaining),
    ),
    ...header(
      'Retry-After',
      false,
      'Whole seconds; on concurrency_limit_exceeded and on the limits of serverless policies alone.',
      jsonSchemaOf(retryAfterSeconds),
    ),
  };
}

/** References to headers, for a response; every answer has these, and those that are named beside them. */
export function withHeaders(...more: readonly string[]): JsonObject {
  const names = ['X-Request-ID', 'traceparent', ...more];
  return {
    headers: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
  };
}

/** Error responses by status, as components. */
export function routerErrors(placement: Placement): JsonObject {
  const responses: Record<string, JsonObject> = {};
  for (const status of statuses) {
    const here = codesOf(status);
    responses[status] = {
      description: here.join(', '),
      ...withHeaders(...headersOf(status)),
      content: json(refer(`Error${status}`)),
      ...placement.at(`response:${status}`),
    };
  }
  responses[OVERSIZE] = {
    description: 'The body is over the size limit. Neither body nor code is promised.',
    ...placement.at(`response:${OVERSIZE}`),
  };
  return responses;
}

/** References to the error responses of a client route. */
export function clientErrors(): JsonObject {
  return Object.fromEntries(
    [...statuses, OVERSIZE].map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  );
}

function headersOf(status: number): readonly string[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status !== 429) return [];
  return ['Retry-After', 'X-RateLimit-Remaining-Requests', 'X-RateLimit-Remaining-Tokens'];
}

function codesOf(status: number): readonly RouterCode[] {
  return codes.filter((code) =>
    codeTable[code].statuses.some((candidate: number) => candidate === status),
  );
}

/** The schema of the envelope on each status, by name: `Error401` and so on. */
export function routerErrorSchemas(referTo: Refer): JsonObject {
  return Object.assign(
    {},
    ...statuses.map((status) => errorSchemas(`Error${status}`, saidAt(status), referTo)),
  );
}

/**
 * What the envelope on one status says: a code that the table gives to other statuses may not stand here, and a code of
 * the table comes from where the table says. Codes that the table does not have are not excluded. One rule stands in the
 * `else` of the one before, since generators of clients make a type of each member of an `allOf`.
 */
function saidAt(status: number): JsonObject {
  const here = codesOf(status);
  const elsewhere = codes.filter((code) => !here.includes(code));
  const rules = here
    .filter((code) => !('usually' in codeTable[code]))
    .reduceRight<JsonObject>(
      (rest, code) => ({
        if: { properties: { code: { const: code } } },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { properties: { source: { enum: [...codeTable[code].sources] } } },
        else: rest,
      }),
      {},
    );
  return {
    properties: { code: { type: 'string', not: { enum: elsewhere }, examples: here } },
    ...rules,
  };
}
