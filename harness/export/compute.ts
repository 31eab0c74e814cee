/** The compute contract as an OpenAPI document and as JSON Schema. */

import { requirementsOf } from '../../schemas/contracts.ts';
import type { ComputeBindings } from '../../schemas/compute/target.ts';
import { conflictStatus } from '../../schemas/compute/errors.ts';
import { computePlace } from './compute-places.ts';
import {
  errorResponses,
  errors,
  idParameter,
  instanceParameters,
  presetParameters,
  retryAfter,
} from './compute-parameters.ts';
import { computeSchemas } from './compute-schemas.ts';
import {
  type Exported,
  infoOf,
  json,
  type JsonObject,
  OPENAPI_VERSION,
  Placement,
} from './openapi.ts';

/** What of a target the document needs. */
export interface ComputeDeployment {
  readonly baseUrl?: string | undefined;
  readonly bindings?: ComputeBindings | undefined;
}

/** As the contract itself states it. */
const CONTRACT_VERSION = '1.0.0';

const refer = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** OpenAPI 3.1. Operations whose path is open are there when the deployment's bindings name it. */
export function computeOpenApi(deployment: ComputeDeployment, exported: Exported): JsonObject {
  const bindings = deployment.bindings ?? {};
  const placement = new Placement(requirementsOf('compute'), computePlace);
  const paths = pathsOf(bindings, placement);
  const components = {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The API key of an account.',
        ...placement.at('security:bearer'),
      },
    },
    responses: errorResponses(placement, refer),
    headers: { 'Retry-After': retryAfter(placement) },
    schemas: computeSchemas(bindings, placement, refer),
  };
  return {
    openapi: OPENAPI_VERSION,
    info: infoOf('compute', CONTRACT_VERSION, exported, openRemarks(bindings)),
    servers: [
      {
        url: deployment.baseUrl ?? '{baseUrl}',
        ...(deployment.baseUrl === undefined
          ? { variables: { baseUrl: { default: 'https://compute.example.com/v1' } } }
          : {}),
      },
    ],
    security: [{ bearer: [] }],
    paths,
    components,
    ...placement.rest(),
    ...placement.catalogue(),
  };
}

/** Every body of the contract under `$defs`, as JSON Schema 2020-12. */
export function computeJsonSchema(deployment: ComputeDeployment, exported: Exported): JsonObject {
  const placement = new Placement(requirementsOf('compute'), computePlace);
  const { title, description } = infoOf('compute', CONTRACT_VERSION, exported, []);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    description,
    $defs: computeSchemas(deployment.bindings ?? {}, placement, (name) => ({
      $ref: `#/$defs/${name}`,
    })),
    ...placement.catalogue(),
  };
}

/** What the contract leaves open and no binding says. */
function openRemarks({ terminate, start, presets }: ComputeBindings): readonly string[] {
  return [
    ...(terminate === undefined
      ? [
          'Terminate exists (POST, addressed by the id of an instance; request and answer as for stop), and its path is open: a target file with `bindings.terminate` adds it.',
        ]
      : []),
    ...(start === undefined
      ? [
          'An operation that starts a stopped instance exists, and its method and path are open: a target file with `bindings.start` adds it.',
        ]
      : []),
    ...(presets?.filters?.sku === undefined || presets.filters.freeText === undefined
      ? [
          'The presets have a filter by SKU and a free-text filter whose names are open: `bindings.presets.filters` adds them.',
        ]
      : []),
    'Creating instances and SSH keys are part of the service; nothing of them is shown.',
  ];
}

function pathsOf(bindings: ComputeBindings, placement: Placement): JsonObject {
  const list = errors(400, 401, 403, 429, 500);
  const one = errors(400, 401, 403, 404, 429, 500);
  const paths: Record<string, Record<string, JsonObject>> = {
    '/instances': {
      get: {
        operationId: 'listInstances',
        summary: 'The instances of the account, the newest first.',
        ...placement.at('operation:listInstances'),
        parameters: instanceParameters(placement),
        responses: {
          200: { description: 'A page.', content: json(refer('InstancePage')) },
          ...list,
        },
      },
    },
    '/instances/{id}': {
      get: {
        operationId: 'getInstance',
        summary: 'One instance. The form of the body is open.',
        ...placement.at('operation:getInstance'),
        parameters: [idParameter('getInstance', placement)],
        responses: { '2XX': { description: 'The instance.', content: json({}) }, ...one },
      },
    },
    '/instances/{id}/stop': { post: action('stopInstance', 'Stops an instance.', placement) },
    '/regions': {
      get: {
        operationId: 'listRegions',
        summary: 'Every region.',
        ...placement.at('operation:listRegions'),
        responses: {
          '2XX': { description: 'The regions.', content: json(refer('Regions')) },
          ...list,
        },
      },
    },
    '/presets': {
      get: {
        operationId: 'listPresets',
        summary: 'Hardware that instances run on, with its hourly price.',
        ...placement.at('operation:listPresets'),
        parameters: presetParameters(bindings, placement),
        responses: {
          '2XX': { description: 'A page.', content: json(refer('PresetPage')) },
          ...list,
        },
      },
    },
  };
  const add = (binding: string, operation: JsonObject): void => {
    const [method = '', path = ''] = binding.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  if (bindings.terminate !== undefined) {
    const summary = 'Destroys an instance and its storage for good.';
    add(bindings.terminate, action('terminateInstance', summary, placement));
  }
  if (bindings.start !== undefined) {
    add(bindings.start, {
      operationId: 'startInstance',
      summary: 'Starts a stopped instance. Request and answer are open.',
      ...placement.at('operation:startInstance'),
      parameters: [idParameter('startInstance', placement)],
      // That a state forbids it is open, too, and so is the code that says so.
      responses: {
        '2XX': { description: 'Accepted.' },
        ...errors(400, 401, 403, 404, conflictStatus, 429, 500),
      },
    });
  }
  return paths;
}

function action(
  operationId: 'stopInstance' | 'terminateInstance',
  summary: string,
  placement: Placement,
): JsonObject {
  return {
    operationId,
    summary,
    ...placement.at(`operation:${operationId}`),
    parameters: [idParameter(operationId, placement)],
    requestBody: {
      required: false,
      content: json(refer('ActionRequest')),
      ...placement.at(`body:${operationId}`),
    },
    responses: {
      '2XX': {
        description: 'Accepted; the instance as it is now.',
        content: json(refer('InstanceInAnswer')),
        ...placement.at(`response:${operationId}`),
      },
      ...errors(400, 401, 403, 404, conflictStatus, 429, 500),
    },
  };
}
