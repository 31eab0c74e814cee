/** The router contract as an OpenAPI document and as JSON Schema. */

import { z } from 'zod';
import {
  type KnownRoute,
  knownRoutes,
  modelList,
  type RouteName,
} from '../../schemas/router/endpoints.ts';
import { errorEnvelope as envelope } from '../../schemas/router/envelope.ts';
import type { RouterTarget } from '../../schemas/router/target.ts';
import { codeTable, type RouterCode } from '../../schemas/router/codes.ts';
import { MODEL_ID_LENGTH } from '../../schemas/router/limits.ts';
import {
  remaining,
  requestId,
  retryAfterSeconds,
  traceparent,
} from '../../schemas/router/response-headers.ts';
import {
  bearer,
  errorEnvelope,
  errorSchemas,
  exporterOf,
  json,
  type JsonObject,
  jsonSchemaOf,
  objectSchemaOf,
  type Placement,
  refer,
  type Refer,
  references,
} from './openapi.ts';
import { routerCodes, routerPlaces } from './router-places.ts';

/** The contract states no version apart from the path. */
export const routerExporter = exporterOf<Pick<RouterTarget, 'baseUrl'>>({
  contract: 'router',
  version: '1',
  example: 'https://router.example.com',
  places: routerPlaces,
  open: () => open,
  parts: (_, placement) => ({
    paths: Object.fromEntries(
      routeNames.map((name) => {
        const { method, path } = knownRoutes[name];
        return [path, { [method.toLowerCase()]: operation(name, placement) }];
      }),
    ),
    components: {
      securitySchemes: {
        clientKey: bearer('The raw key of a client.', placement.at('security:clientKey')),
        adminKey: bearer('The key of an administrator.', placement.at('security:adminKey')),
      },
      headers: routerHeaders(placement),
      responses: routerErrors(placement),
    },
  }),
  schemas: (_, placement, referTo) => routerSchemas(placement, referTo),
});

const summaries: Readonly<Record<RouteName, string>> = {
  models: 'The models that the caller may see.',
  model: 'One model; a hidden one is not found.',
  chatCompletions: 'Inference whose engine errors are classified.',
  messages: 'Forwarded to an engine as it is.',
  countTokens: 'Forwarded to an engine as it is.',
  embeddings: 'Forwarded to an engine as it is.',
  rerank: 'Forwarded to an engine as it is.',
  adminHealth: 'Health of the fleet, for administrators.',
  adminRoutingTable: 'State of the routing, for administrators.',
};

const open = [
  '`POST /v1/responses` is not served: it gets an ordinary 404.',
  'What successful answers hold is open, but for the model list.',
  'Which form an error of an administrator route has is open; a 401 there carries the challenge.',
];

const routeNames: readonly RouteName[] = Object.keys(knownRoutes).filter(
  (name): name is RouteName => Object.hasOwn(knownRoutes, name),
);

/** The part that every inference request has. The rest of its form is open. */
const inferenceRequest = z.looseObject({ model: z.string().max(MODEL_ID_LENGTH) });

function routerSchemas(placement: Placement, referTo: Refer): JsonObject {
  return {
    ModelList: { ...jsonSchemaOf(modelList), ...placement.at('schema:ModelList') },
    InferenceRequest: {
      description:
        'The rest of the form is that of the engine: max_tokens or max_completion_tokens, temperature, tools and others.',
      ...objectSchemaOf(inferenceRequest, (name) =>
        placement.at(`property:InferenceRequest.${name}`),
      ),
      ...placement.at('schema:InferenceRequest'),
    },
    Error: { ...errorEnvelope('Error', referTo), ...placement.at('schema:Error') },
    ErrorFields: objectSchemaOf(envelope.shape.error, (name) =>
      placement.at(`property:Error.${name}`),
    ),
    ...routerErrorSchemas(referTo),
  };
}

function operation(name: RouteName, placement: Placement): JsonObject {
  const { family, method }: KnownRoute = knownRoutes[name];
  const isAdmin = family === 'admin';
  return {
    operationId: name,
    summary: summaries[name],
    security: [{ [isAdmin ? 'adminKey' : 'clientKey']: [] }],
    ...placement.at(`operation:${name}`),
    ...(name === 'model' ? { parameters: [modelParameter] } : {}),
    ...(method === 'POST'
      ? { requestBody: { required: true, content: json(refer('InferenceRequest')) } }
      : {}),
    responses: {
      '2XX': success(name, placement),
      ...(isAdmin ? adminErrors : references('responses', [...statuses, OVERSIZE])),
    },
  };
}

const modelParameter: JsonObject = {
  name: 'model',
  in: 'path',
  required: true,
  description: 'The id of a model.',
  schema: { type: 'string' },
};

const adminErrors: JsonObject = {
  401: {
    description: 'No key of an administrator.',
    ...withHeaders('WWW-Authenticate'),
  },
};

function success(name: RouteName, placement: Placement): JsonObject {
  const { family }: KnownRoute = knownRoutes[name];
  const quotas = ['X-RateLimit-Remaining-Requests', 'X-RateLimit-Remaining-Tokens'];
  const streams = { 'text/event-stream': {} };
  return {
    description: family === 'native' || family === 'proxy' ? 'What the engine said.' : 'Success.',
    ...withHeaders(...(family === 'admin' ? [] : quotas)),
    content: {
      ...(name === 'models' ? json(refer('ModelList')) : { ...json({}), '*/*': {} }),
      ...(name === 'chatCompletions' ? streams : {}),
    },
    ...placement.at(`response:${name}`),
  };
}

/** The only status without a guaranteed code or body (router#codes/413). */
const OVERSIZE = 413;

/** Every status in the table of codes, ascending. */
const statuses: readonly number[] = [
  ...new Set(routerCodes.flatMap((code): readonly number[] => codeTable[code].statuses)),
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
function routerHeaders(placement: Placement): JsonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, [required, description, schema]]) => [
      name,
      { description, required, schema, ...placement.at(`header:${name}`) },
    ]),
  );
}

/** References to headers, for a response. Every response has the first two. */
function withHeaders(...more: readonly string[]): JsonObject {
  return { headers: references('headers', ['X-Request-ID', 'traceparent', ...more]) };
}

/** Error responses by status, as components. */
function routerErrors(placement: Placement): JsonObject {
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

function headersOf(status: number): readonly string[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status !== 429) return [];
  return ['Retry-After', 'X-RateLimit-Remaining-Requests', 'X-RateLimit-Remaining-Tokens'];
}

function codesOf(status: number): readonly RouterCode[] {
  return routerCodes.filter((code) =>
    codeTable[code].statuses.some((candidate: number) => candidate === status),
  );
}

/** The schema of the envelope for each status, by name: `Error401` and so on. */
function routerErrorSchemas(referTo: Refer): JsonObject {
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
  const elsewhere = routerCodes.filter((code) => !here.includes(code));
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
