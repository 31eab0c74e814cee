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

/** Operations with an open path are included if the bindings of the deployment name it. */
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

/** Remarks on what the contract leaves open and no binding defines. */
function openRemarks({ terminate, start, presets }: ComputeBindings): readonly string[] {
  const { sku, freeText } = presets?.filters ?? {};
  const remarks = [
    terminate === undefined &&
      'Terminate exists (POST, addressed by the id of an instance; request and answer as for stop), and its path is open: a target file with `bindings.terminate` adds it.',
    start === undefined &&
      'An operation that starts a stopped instance exists, and its method and path are open: a target file with `bindings.start` adds it.',
    (sku === undefined || freeText === undefined) &&
      'The presets have a filter by SKU and a free-text filter whose names are open: `bindings.presets.filters` adds them.',
    'Creating instances and SSH keys are part of the service; nothing of them is shown.',
  ];
  return remarks.filter((remark) => remark !== false);
}

const OF_LIST = [400, 401, 403, 429, 500] as const;
const OF_INSTANCE = [400, 401, 403, 404, 429, 500] as const;
/** Includes the status of a conflict, whose error code is open. */
const OF_ACTION = [400, 401, 403, 404, conflictStatus, 429, 500] as const;

function pathsOf(bindings: ComputeBindings, placement: Placement): JsonObject {
  const operation = (operationId: string, summary: string, more: JsonObject): JsonObject => ({
    operationId,
    summary,
    ...placement.at(`operation:${operationId}`),
    ...more,
  });
  /** An operation on one instance, which its path names. */
  const ofInstance = (operationId: string, summary: string, more: JsonObject): JsonObject =>
    operation(operationId, summary, {
      parameters: [idParameter(operationId, placement)],
      ...more,
    });
  const action = (operationId: string, summary: string): JsonObject =>
    ofInstance(operationId, summary, {
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
        ...errors(...OF_ACTION),
      },
    });
  const success = (description: string, schema: JsonObject, status = '2XX'): JsonObject => ({
    [status]: { description, content: json(schema) },
  });
  const paths: Record<string, Record<string, JsonObject>> = {
    '/instances': {
      get: operation('listInstances', 'The instances of the account, the newest first.', {
        parameters: instanceParameters(placement),
        responses: { ...success('A page.', refer('InstancePage'), '200'), ...errors(...OF_LIST) },
      }),
    },
    '/instances/{id}': {
      get: ofInstance('getInstance', 'One instance. The form of the body is open.', {
        responses: { ...success('The instance.', {}), ...errors(...OF_INSTANCE) },
      }),
    },
    '/instances/{id}/stop': { post: action('stopInstance', 'Stops an instance.') },
    '/regions': {
      get: operation('listRegions', 'Every region.', {
        responses: { ...success('The regions.', refer('Regions')), ...errors(...OF_LIST) },
      }),
    },
    '/presets': {
      get: operation('listPresets', 'Hardware that instances run on, with its hourly price.', {
        parameters: presetParameters(bindings, placement),
        responses: { ...success('A page.', refer('PresetPage')), ...errors(...OF_LIST) },
      }),
    },
  };
  const add = (binding: string, made: JsonObject): void => {
    const [method = '', path = ''] = binding.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: made };
  };
  const { terminate, start } = bindings;
  const destroys = 'Destroys an instance and its storage for good.';
  if (terminate !== undefined) add(terminate, action('terminateInstance', destroys));
  if (start !== undefined) {
    const starts = 'Starts a stopped instance. Request and answer are open.';
    const responses = { '2XX': { description: 'Accepted.' }, ...errors(...OF_ACTION) };
    add(start, ofInstance('startInstance', starts, { responses }));
  }
  return paths;
}
