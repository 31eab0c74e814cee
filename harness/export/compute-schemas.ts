/** The bodies of the compute contract as JSON Schema, with the requirements that judge them. */

import { z } from 'zod';
import { codeOfStatus } from '../../schemas/compute/errors.ts';
import {
  errorEnvelopeSchema,
  instanceFields,
  instancePageSchema,
  instanceSchema,
  isInstanceField,
  paginationSchema,
} from '../../schemas/compute/wire.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import type { ComputeBindings } from '../../schemas/compute/target.ts';
import { LONGEST_NOTE } from '../generate/bodies.ts';
import {
  errorEnvelope,
  errorSchemas,
  type JsonObject,
  jsonSchemaOf,
  objectSchemaOf,
  type Placement,
  type Refer,
  schemaAlong,
} from './openapi.ts';

/** Every schema of the contract by name. An open part without a binding is any JSON. */
export function computeSchemas(
  bindings: ComputeBindings,
  placement: Placement,
  refer: Refer,
): JsonObject {
  return {
    InstanceInList: instance(
      'InstanceInList',
      'An instance as a list page describes it.',
      placement,
    ),
    InstanceInAnswer: instance(
      'InstanceInAnswer',
      'An instance as the answers to stop and terminate describe it.',
      placement,
    ),
    Pagination: objectSchemaOf(paginationSchema, (name) =>
      placement.at(`property:Pagination.${name}`),
    ),
    InstancePage: instancePage(placement, refer),
    PresetPage: presetPage(bindings, placement, refer),
    Preset: preset(bindings, placement),
    Regions: regions(bindings),
    ActionRequest: jsonSchemaOf(actionRequest),
    Error: {
      description: `Every error. But for 409, the code is one of ${Object.values(codeOfStatus).join(', ')}.`,
      ...errorEnvelope('Error', refer),
      ...placement.at('schema:Error'),
    },
    ErrorFields: objectSchemaOf(errorEnvelopeSchema.shape.error, (name) =>
      placement.at(`property:Error.${name}`),
    ),
    ...errorsWithCodes(refer),
  };
}

/** The envelope by status: `Error400` and so on with the code of the status, `ErrorOther` with any code. */
function errorsWithCodes(referTo: Refer): JsonObject {
  // An `enum` with one value, since client generators cannot merge a `const` with the type that it narrows.
  const withCodes = (name: string, codes: readonly string[]): JsonObject =>
    errorSchemas(name, { properties: { code: { type: 'string', enum: codes } } }, referTo);
  return Object.assign(
    withCodes('ErrorOther', Object.values(codeOfStatus)),
    ...Object.entries(codeOfStatus).map(([status, code]) => withCodes(`Error${status}`, [code])),
  );
}

/** The optional body of stop and terminate. Other members are open. */
const actionRequest = z.looseObject({
  reason_note: z.string().max(LONGEST_NOTE).optional(),
});

function instance(
  name: 'InstanceInList' | 'InstanceInAnswer',
  description: string,
  placement: Placement,
): JsonObject {
  return {
    description,
    ...objectSchemaOf(instanceSchema, (field) => ({
      ...(isInstanceField(field) ? { description: `It is ${instanceFields[field].is}.` } : {}),
      ...placement.at(`property:${name}.${field}`),
    })),
    ...placement.at(`schema:${name}`),
  };
}

function instancePage(placement: Placement, refer: Refer): JsonObject {
  return {
    ...jsonSchemaOf(instancePageSchema),
    properties: {
      data: { type: 'array', items: refer('InstanceInList') },
      pagination: refer('Pagination'),
    },
    ...placement.at('schema:InstancePage'),
  };
}

function presetPage(bindings: ComputeBindings, placement: Placement, refer: Refer): JsonObject {
  const items = bindings.presets?.items;
  const bound =
    items === undefined ? undefined : schemaAlong(items, { type: 'array', items: refer('Preset') });
  return {
    description:
      bound === undefined
        ? 'A page of presets. The name of the array is open.'
        : 'A page of presets. The name of the array is that of the target file.',
    allOf: [
      {
        type: 'object',
        properties: { pagination: refer('Pagination') },
        required: ['pagination'],
      },
      ...(bound === undefined ? [] : [bound]),
    ],
    ...placement.at('schema:PresetPage'),
  };
}

function preset({ presets }: ComputeBindings, placement: Placement): JsonObject {
  const price = presets?.fields?.price;
  const bound = price === undefined ? undefined : schemaAlong(price, {});
  return {
    type: 'object',
    description: 'A preset. Names and types of its fields are open; it has an hourly price.',
    ...bound,
    ...placement.at('schema:Preset'),
  };
}

function regions({ regions: binding }: ComputeBindings): JsonObject {
  const path = binding?.codes;
  const code = { type: 'string', enum: [...regionCodes] };
  const whole = { minItems: regionCodes.length, maxItems: regionCodes.length };
  const lists = path?.split('[*]').length ?? 0;
  // A path to the list itself means its members. In nested lists, no single list holds every code.
  const bound =
    path === undefined
      ? undefined
      : lists === 1
        ? schemaAlong(path, { type: 'array', items: code, uniqueItems: true, ...whole })
        : schemaAlong(path, code, lists === 2 ? whole : {});
  return {
    description: `The regions are exactly ${regionCodes.join(', ')}; ${
      bound === undefined ? 'in what form is open.' : 'the form is that of the target file.'
    }`,
    ...bound,
  };
}
