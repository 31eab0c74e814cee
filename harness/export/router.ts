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
import { MODEL_ID_LENGTH } from '../../schemas/router/limits.ts';
import {
  bearer,
  errorEnvelope,
  exporterOf,
  json,
  type JsonObject,
  jsonSchemaOf,
  objectSchemaOf,
  type Placement,
  refer,
  type Refer,
} from './openapi.ts';
import {
  clientErrors,
  routerErrors,
  routerErrorSchemas,
  routerHeaders,
  routerPlaces,
  withHeaders,
} from './router-places.ts';

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
      ...(isAdmin ? adminErrors : clientErrors()),
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
