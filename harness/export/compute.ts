/** The compute contract as an OpenAPI document and as JSON Schema. */

import { z } from 'zod';
import { codeOfStatus, conflictStatus } from '../../schemas/compute/errors.ts';
import {
  freeTextLength,
  instancePageSize,
  instanceSortFields,
  sortDirections,
  statusFilters,
} from '../../schemas/compute/list-instances.ts';
import { presetPageSize, presetSortFields } from '../../schemas/compute/presets.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import type { ComputeBindings, ComputeTarget } from '../../schemas/compute/target.ts';
import { retryAfterSchema } from '../../schemas/compute/wire.ts';
import { computePlaces } from './compute-places.ts';
import { computeSchemas } from './compute-schemas.ts';
import {
  bearer,
  exporterOf,
  json,
  type JsonObject,
  jsonSchemaOf,
  type Placement,
  refer,
  references,
} from './openapi.ts';

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

const text = z.string();
const instant = z.string().meta({ format: 'date-time' });
const search = z.string().max(freeTextLength);
const codes = regionCodes.join(', ');

/** Every text is accepted, although only some values match anything. */
const region = z.string().meta({ examples: [...regionCodes] });

/** The parameters of `GET /instances`. */
function instanceParameters(placement: Placement): readonly JsonObject[] {
  const { minimum, maximum, standard } = instancePageSize;
  const parameter = maker('listInstances', placement);
  return [
    parameter('cursor', text, 'The cursor that the page before gave; the first page has none.'),
    parameter('size', z.int().min(minimum).max(maximum).default(standard), 'Items in a page.'),
    parameter('status', z.enum(Object.keys(statusFilters)), 'Instances in this state alone.'),
    parameter(
      'region',
      region,
      `Instances in this region alone: ${codes}. Anything else selects none, and is no error.`,
    ),
    parameter('gpu_type', text, 'Instances on this GPU model alone.'),
    parameter('date_range_begin', instant, 'Instances created at this instant or later.'),
    parameter('date_range_end', instant, 'Instances created at this instant or earlier.'),
    parameter('free_text_search', search, 'Searched in name, region and GPU model.'),
    parameter(
      'sort_field',
      z.enum(Object.keys(instanceSortFields)),
      'What to sort by; without it, the newest come first.',
    ),
    parameter('sort_direction', z.enum(sortDirections).default('DESC'), 'Of the sort field.'),
  ];
}

/** The parameters of `GET /presets`. Two of them are included only if the target file names them. */
function presetParameters(bindings: ComputeBindings, placement: Placement): readonly JsonObject[] {
  const { minimum, maximum } = presetPageSize;
  const { sku, freeText } = bindings.presets?.filters ?? {};
  const parameter = maker('listPresets', placement);
  return [
    parameter('cursor', text, 'The cursor that the page before gave; the first page has none.'),
    parameter(
      'size',
      z.int().min(minimum).max(maximum),
      'Items in a page; how many without it is open.',
    ),
    parameter(
      'region',
      region,
      `Presets in this region alone: ${codes}, or a location that belongs to no region. Anything else selects none, and is no error.`,
    ),
    ...(sku === undefined ? [] : [parameter(sku, text, 'Presets of exactly this SKU.', 'sku')]),
    ...(freeText === undefined
      ? []
      : [parameter(freeText, search, 'Searched in SKU, GPU model and location.', 'freeText')]),
    parameter(
      'sort_field',
      z.enum(Object.keys(presetSortFields)),
      'What to sort by; the order without it is stable.',
    ),
    parameter(
      'sort_direction',
      z.enum(sortDirections).default('ASC'),
      'Of the sort field, and ignored without one.',
    ),
  ];
}

/** The id in the path of an operation on one instance. */
function idParameter(operation: string, placement: Placement): JsonObject {
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of an instance.',
    schema: { type: 'string', format: 'uuid' },
    ...placement.at(`parameter:${operation}.id`),
  };
}

/** Builds optional query parameters. `place` is the contract's name for a parameter whose real name is open. */
function maker(operation: string, placement: Placement) {
  return (name: string, schema: z.ZodType, description: string, place = name): JsonObject => ({
    name,
    in: 'query',
    description,
    schema: jsonSchemaOf(schema),
    ...placement.at(`parameter:${operation}.${place}`),
  });
}

/** The header of every 429. */
function retryAfter(placement: Placement): JsonObject {
  return {
    description: 'Whole seconds to wait.',
    required: true,
    schema: jsonSchemaOf(retryAfterSchema),
    ...placement.at('header:Retry-After'),
  };
}

/** References to error responses. Any other error has the same envelope. */
function errors(...statuses: readonly number[]): JsonObject {
  return {
    ...references('responses', statuses),
    default: { $ref: '#/components/responses/Other' },
  };
}

/** The error responses that operations refer to, by status. */
function errorResponses(placement: Placement): JsonObject {
  const responses: Record<string, JsonObject> = {};
  for (const [status, code] of Object.entries(codeOfStatus)) {
    responses[status] = {
      description: code,
      ...(status === '429' ? { headers: references('headers', ['Retry-After']) } : {}),
      content: json(refer(`Error${status}`)),
      ...placement.at(`response:${status}`),
    };
  }
  responses[conflictStatus] = {
    description: 'The state of the instance forbids it. The code is open.',
    content: json(refer('Error')),
    ...placement.at(`response:${conflictStatus}`),
  };
  responses['Other'] = {
    description: 'Any other error.',
    content: json(refer('ErrorOther')),
  };
  return responses;
}
