/** The compute contract as an OpenAPI document and as JSON Schema. */

import type { ComputeBindings, ComputeTarget } from '../../schemas/compute/target.ts';
import { conflictStatus } from '../../schemas/compute/errors.ts';
import { computePlaces } from './compute-places.ts';
import {
  errorResponses,
  errors,
  idParameter,
  instanceParameters,
  presetParameters,
  retryAfter,
} from './compute-parameters.ts';
import { computeSchemas } from './compute-schemas.ts';
import { bearer, exporterOf, json, type JsonObject, type Placement, refer } from './openapi.ts';

/** Operations whose path is open are there when the deployment's bindings name it. */
export const computeExporter = exporterOf<Pick<ComputeTarget, 'baseUrl' | 'bindings'>>({
  contract: 'compute',
  version: '1.0.0',
  example: 'https://compute.example.com/v1',
  places: computePlaces,
  open: ({ bindings = {} }) => openRemarks(bindings),
  parts: ({ bindings = {} }, placement) => ({
    security: [{ bearer: [] }],
    paths: pathsOf(bindings, placement),
    components: {
      securitySchemes: {
        bearer: bearer('The API key of an account.', placement.at('security:bearer')),
      },
      responses: errorResponses(placement),
      headers: { 'Retry-After': retryAfter(placement) },
    },
  }),
  schemas: ({ bindings = {} }, placement, referTo) => computeSchemas(bindings, placement, referTo),
});

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
