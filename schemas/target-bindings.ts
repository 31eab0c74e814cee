/** How a compute target does what its contract leaves open: paths, bodies and names. */

import { z } from 'zod';

const jsonPath = z
  .string()
  .regex(/^\$/u, 'a JSONPath, which starts with $')
  .meta({ description: 'A JSONPath (RFC 9535).' });

/** A member's name, or its JSONPath from the object that holds it: `name` and `$.name` are the same. */
const member = z.string().min(1).meta({ description: 'The name of a member, or its JSONPath.' });

const parameter = z.string().min(1).meta({ description: 'The name of a query parameter.' });

/** The method of terminate is stated; the one of start is open. */
const terminate = z
  .string()
  .regex(
    /^POST \/\S*\{id\}\S*$/u,
    'POST and a path with {id}, as in POST /instances/{id}/terminate',
  );
const start = z
  .string()
  .regex(
    /^(POST|PUT|PATCH) \/\S*\{id\}\S*$/u,
    'a method and a path with {id}, as in POST /instances/{id}/start',
  );

const presetFields = z
  .strictObject({
    id: member.optional(),
    sku: member.optional(),
    region: member.optional(),
    location: member.optional(),
    gpu: member.optional(),
    gpuCount: member.optional(),
    cpu: member.optional(),
    memory: member.optional(),
    storage: member.optional(),
    price: member.optional(),
  })
  .readonly();

export const computeBindings = z
  .strictObject({
    terminate: terminate.optional(),
    start: start.optional(),
    getInstance: z.strictObject({ record: jsonPath.optional() }).readonly().optional(),
    regions: z.strictObject({ codes: jsonPath.optional() }).readonly().optional(),
    presets: z
      .strictObject({
        items: member.optional(),
        filters: z
          .strictObject({ sku: parameter.optional(), freeText: parameter.optional() })
          .readonly()
          .optional(),
        fields: presetFields.optional(),
      })
      .readonly()
      .optional(),
    locations: z
      .strictObject({ unmapped: z.array(z.string().min(1)).min(1).readonly().optional() })
      .readonly()
      .optional(),
  })
  .readonly();

export type ComputeBindings = z.output<typeof computeBindings>;
export type PresetField = keyof z.output<typeof presetFields>;
