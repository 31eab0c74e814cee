/** Parameters and error responses of the compute operations. */

import { z } from 'zod';
import {
  freeTextLength,
  instancePageSize,
  instanceSortFields,
  sortDirections,
  statusFilters,
} from '../../schemas/compute/list-instances.ts';
import { presetPageSize, presetSortFields } from '../../schemas/compute/presets.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import type { ComputeBindings } from '../../schemas/compute/target.ts';
import { json, type JsonObject, jsonSchemaOf, type Placement, refer } from './openapi.ts';
import { codeOfStatus, conflictStatus } from '../../schemas/compute/errors.ts';
import { retryAfterSchema } from '../../schemas/compute/wire.ts';

const text = z.string();
const instant = z.string().meta({ format: 'date-time' });
const search = z.string().max(freeTextLength);
const codes = regionCodes.join(', ');

/** Every text is accepted, although only some values match anything. */
const region = z.string().meta({ examples: [...regionCodes] });

/** The parameters of `GET /instances`. */
export function instanceParameters(placement: Placement): readonly JsonObject[] {
  const { minimum, maximum, standard } = instancePageSize;
  const parameter = maker('listInstances', placement);
  return [
    parameter('cursor', text, 'The cursor that the page before gave; the first page has none.'),
    parameter('size', z.int().min(minimum).max(maximum).default(standard), 'Items in a page.'),
    parameter('status', z.enum(keysOf(statusFilters)), 'Instances in this state alone.'),
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
      z.enum(keysOf(instanceSortFields)),
      'What to sort by; without it, the newest come first.',
    ),
    parameter('sort_direction', z.enum(sortDirections).default('DESC'), 'Of the sort field.'),
  ];
}

/** The parameters of `GET /presets`. Two of them are included only if the target file names them. */
export function presetParameters(
  bindings: ComputeBindings,
  placement: Placement,
): readonly JsonObject[] {
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
      z.enum(keysOf(presetSortFields)),
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
export function idParameter(operation: string, placement: Placement): JsonObject {
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

function keysOf(table: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(table);
}

/** The header of every 429. */
export function retryAfter(placement: Placement): JsonObject {
  return {
    description: 'Whole seconds to wait.',
    required: true,
    schema: jsonSchemaOf(retryAfterSchema),
    ...placement.at('header:Retry-After'),
  };
}

/** References to error responses. Any other error has the same envelope. */
export function errors(...statuses: readonly number[]): JsonObject {
  return Object.fromEntries(
    [...statuses.map(String), 'default'].map((status) => [
      status,
      { $ref: `#/components/responses/${status === 'default' ? 'Other' : status}` },
    ]),
  );
}

/** The error responses that operations refer to, by status. */
export function errorResponses(placement: Placement): JsonObject {
  const responses: Record<string, JsonObject> = {};
  for (const [status, code] of Object.entries(codeOfStatus)) {
    responses[status] = {
      description: code,
      ...(status === '429'
        ? { headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } }
        : {}),
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
