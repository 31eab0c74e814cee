/** Schemas of zod as plain JSON Schema, draft 2020-12, which is also what OpenAPI 3.1 is written in. */

import { z } from 'zod';

/** An object of a document that is being put together. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A zod schema as JSON Schema, without the dialect, which is said once for the whole document. What a schema
 * refines beyond types (an integer, a date) comes from its metadata.
 */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
      // Further members are allowed anyway; to say so in every object only makes a document longer.
      if (isEmpty(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties;
    },
  });
  return rest;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** An object schema as JSON Schema, with each of its properties completed by what `complete` gives for its name. */
export function objectSchemaOf(
  schema: z.ZodType,
  complete: (property: string) => JsonObject,
): JsonObject {
  const made = jsonSchemaOf(schema);
  const properties: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(Object(made['properties']))) {
    properties[name] = { ...Object(property), ...complete(name) };
  }
  return { ...made, properties };
}
