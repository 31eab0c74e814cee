/** Where each requirement of the router contract appears in the OpenAPI document, and its responses. */

import { codeTable, isRouterCode, type RouterCode } from '../../schemas/router/codes.ts';
import {
  errorSchemas,
  json,
  type JsonObject,
  jsonSchemaOf,
  type Placement,
  type PlaceRule,
  type PlaceRules,
  refer,
  type Refer,
} from './openapi.ts';
import {
  remaining,
  requestId,
  retryAfterSeconds,
  traceparent,
} from '../../schemas/router/response-headers.ts';

const codes: readonly RouterCode[] = Object.keys(codeTable).filter(isRouterCode);

export const routerPlaces: PlaceRules = {
  endpoints: [
    [/^models-list-(?!hides )/u, 'schema:ModelList'],
    [/^chat-completions-/u, 'operation:chatCompletions'],
    [/ router#endpoints\/request-fields(?![\w-])/u, 'schema:InferenceRequest'],
    [/ router#endpoints\/get-(models?)(?![\w-])/u, 'operation:$1'],
    [/ router#endpoints\/(messages|embeddings|rerank)(?![\w-])/u, 'operation:$1'],
    [/ router#endpoints\/chat-completions(?![\w-])/u, 'operation:chatCompletions'],
    [/ router#endpoints\/count-tokens(?![\w-])/u, 'operation:countTokens'],
    [/ router#endpoints\/admin-health(?![\w-])/u, 'operation:adminHealth'],
    [/ router#endpoints\/admin-routing-table(?![\w-])/u, 'operation:adminRoutingTable'],
  ],
  authentication: [
    [/^allowlist-/u, 'response:403'],
    [/^challenge-realm /u, 'header:WWW-Authenticate'],
    [/^refusal-/u, 'response:401'],
    [/^order-unsupported-route /u, 'document'],
    [/^\S*(?:on-admin|client-key-on)/u, 'security:adminKey'],
    [/^/u, 'security:clientKey'],
  ],
  envelope: [
    [/^(code|message|source) /u, 'property:Error.$1'],
    [/^(?:object|content-type) /u, 'schema:Error'],
    [/^oversize-body /u, 'response:413'],
  ],
  codes: [
    [/^known-codes /u, 'property:Error.code'],
    [/ router#endpoints\/model-required$/u, 'property:InferenceRequest.model'],
    ...codes.map((code): PlaceRule => [
      new RegExp(` router#codes/${code}(?!\\w)`, 'u'),
      `response:${codeTable[code].statuses[0]}`,
    ]),
  ],
  'rate-limit-rules': 'response:429',
  'token-limit-rules': 'response:429',
  'backend-classification': 'operation:chatCompletions',
  'transparent-proxy': [
    [/^(messages|embeddings|rerank)-/u, 'operation:$1'],
    [/^count-tokens-/u, 'operation:countTokens'],
    [/^/u, 'response:502'],
  ],
  streaming: 'response:chatCompletions',
  'response-headers': [
    [/ router#(?:headers\/x-request-id|overview\/request-id|codes\/413)$/u, 'header:X-Request-ID'],
    [/ router#headers\/traceparent$/u, 'header:traceparent'],
    [/ router#headers\/www-authenticate$/u, 'header:WWW-Authenticate'],
    [
      / router#headers\/(?:remaining-requests|unlimited)$/u,
      'header:X-RateLimit-Remaining-Requests',
    ],
    [/ router#headers\/remaining-tokens$/u, 'header:X-RateLimit-Remaining-Tokens'],
    [/ router#headers\/retry-after$/u, 'header:Retry-After'],
  ],
  limits: [
    [/\/model-id-length$/u, 'property:InferenceRequest.model'],
    [/\/body-size/u, 'response:413'],
    [/^/u, 'response:400'],
  ],
  admission: [
    [/ .*(?:occupancy|shed|concurrency_limit|serverless)/u, 'response:429'],
    [/ .*(?:deadline|request_timeout|processor)/u, 'response:504'],
    [/^/u, 'response:503'],
  ],
};

/** The only status without a guaranteed code or body (router#codes/413). */
const OVERSIZE = 413;

/** Every status in the table of codes, ascending. */
const statuses: readonly number[] = [
  ...new Set(codes.flatMap((code): readonly number[] => codeTable[code].statuses)),
].toSorted((one, other) => one - other);

/** Headers by name: whether a response that lists one always has it, its description and its schema. */
const headers: Readonly<Record<string, readonly [boolean, string, JsonObject]>> = {
  'X-Request-ID': [
    true,
    'Names the request; never a key that makes a request unique.',
    jsonSchemaOf(requestId),
  ],
  traceparent: [false, 'W3C trace context, where there is a span.', jsonSchemaOf(traceparent)],
  'WWW-Authenticate': [true, 'A Bearer challenge with a realm.', { type: 'string' }],
  'X-RateLimit-Remaining-Requests': [
    false,
    'For keys with a finite number of requests.',
    jsonSchemaOf(remaining),
  ],
  'X-RateLimit-Remaining-Tokens': [
    false,
    'For keys with a finite number of tokens a day.',
    jsonSchemaOf(remaining),
  ],
  'Retry-After': [
    false,
    'Whole seconds; on concurrency_limit_exceeded and on the limits of serverless policies alone.',
    jsonSchemaOf(retryAfterSeconds),
  ],
};

/** The headers of the contract as components. */
export function routerHeaders(placement: Placement): JsonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, [required, description, schema]]) => [
      name,
      { description, required, schema, ...placement.at(`header:${name}`) },
    ]),
  );
}

/** References to headers, for a response. Every response has the first two. */
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
    ...withHeaders(),
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

/** The schema of the envelope for each status, by name: `Error401` and so on. */
export function routerErrorSchemas(referTo: Refer): JsonObject {
  return Object.assign(
    {},
    ...statuses.map((status) => errorSchemas(`Error${status}`, saidAt(status), referTo)),
  );
}

/**
 * Restricts the envelope for one status: codes of other statuses are excluded, and the source of a code must match the
 * table. Unknown codes are allowed. Each rule is in the `else` of the one before, since client generators turn each
 * member of an `allOf` into a type.
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
