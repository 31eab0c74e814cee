/** Parts of OpenAPI 3.1 documents and JSON Schema that all contracts share. */

import { z } from 'zod';
import { requirementsOf } from '../../schemas/contracts.ts';
import type { Contract, Requirement } from '../../schemas/requirement.ts';

/** An object of a document under construction. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A zod schema as JSON Schema without `$schema`. Refinements (an integer, a date) come from the schema's metadata. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
      // Additional members are allowed by default, so stating it only makes the document longer.
      if (isEmpty(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties;
    },
  });
  return rest;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** An object schema as JSON Schema. `complete` returns more keywords for each property, by name. */
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

/** A path of members and of every item of an array; a schema cannot express filters, slices or descendants. */
const SIMPLE_PATH = /^\$(?:\.[A-Za-z_][\w-]*|\['[^'\\]+'\]|\[\*\])*$/u;
const STEP = /\.([\w-]+)|\['([^']+)'\]|\[\*\]/gu;

/** The schema of a body in which a path such as `$.data[*].code` leads to `leaf`. Undefined for a path with filters. */
export function schemaAlong(
  path: string,
  leaf: JsonObject,
  everyArray: JsonObject = {},
): JsonObject | undefined {
  if (path.startsWith('$') && !SIMPLE_PATH.test(path)) return undefined;
  const steps = path.startsWith('$') ? path.matchAll(STEP) : [['', path]];
  return Array.from(steps, ([, dotted, quoted]) => dotted ?? quoted).reduceRight<JsonObject>(
    (inner, member) =>
      member === undefined
        ? { type: 'array', items: inner, ...everyArray }
        : { type: 'object', properties: { [member]: inner }, required: [member] },
    leaf,
  );
}

const REQUIREMENTS = 'x-plumbline-requirements';

/** A part of a document: its kind and its name, as in `parameter:listInstances.size`. */
export type Place =
  | 'document'
  | `${'operation' | 'parameter' | 'body' | 'response' | 'header' | 'schema' | 'property' | 'security'}:${string}`;

/** A pattern for slug and clause, as in `size-zero compute#list-instances/size`, and a place; `$1` is the first group. */
export type PlaceRule = readonly [about: RegExp, place: Place];

/** Places of requirements by section. The first matching rule wins; without one the place is the document. */
export type PlaceRules = Readonly<Record<string, Place | readonly PlaceRule[]>>;

function placeOf(rules: PlaceRules, { id, section, clause }: Requirement): string {
  const slug = id.split('.').at(-1) ?? '';
  const ofSection = rules[section] ?? [];
  if (typeof ofSection === 'string') return ofSection;
  for (const [about, place] of ofSection) {
    const found = about.exec(`${slug} ${clause}`);
    if (found !== null) return place.replace('$1', found[1] ?? '');
  }
  return 'document';
}

/** Assigns requirements to places. Each is used once; those of unused places go to the document itself. */
export class Placement {
  readonly #waiting = new Map<string, string[]>();
  readonly #requirements: readonly Requirement[];

  constructor(requirements: readonly Requirement[], rules: PlaceRules) {
    this.#requirements = requirements;
    for (const requirement of requirements) {
      const place = placeOf(rules, requirement);
      this.#waiting.set(place, [...(this.#waiting.get(place) ?? []), requirement.id]);
    }
  }

  /** The extension for a place, to be spread into it. Empty without requirements. */
  at(place: Place): JsonObject {
    const ids = this.#waiting.get(place);
    this.#waiting.delete(place);
    return ids === undefined ? {} : { [REQUIREMENTS]: ids };
  }

  /** The extension with all remaining requirements. To be called last. */
  rest(): JsonObject {
    const ids = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return ids.length === 0 ? {} : { [REQUIREMENTS]: ids };
  }

  /** The text of each placed requirement, for readers who have only the document. */
  catalogue(): JsonObject {
    const waiting = new Set([...this.#waiting.values()].flat());
    return {
      'x-plumbline-catalogue': Object.fromEntries(
        this.#requirements
          .filter(({ id }) => !waiting.has(id))
          .map(({ id, strength, statement, clause }) => [id, { strength, statement, clause }]),
      ),
    };
  }
}

/** A contract in the formats of other tools. The target fills in what the contract leaves open. */
export interface Exporter<T> {
  /** OpenAPI 3.1 for one deployment, or for any. */
  openApi(target: Partial<T>, toolVersion: string): JsonObject;
  /** Every body that the contract describes, under `$defs`, as JSON Schema 2020-12. */
  jsonSchema(target: Partial<T>, toolVersion: string): JsonObject;
}

/** A reference to a schema of the same document by name. */
export type Refer = (name: string) => JsonObject;

export const refer: Refer = (name) => ({ $ref: `#/components/schemas/${name}` });

/** References to components of the same document, each under its own name. */
export function references(
  kind: 'headers' | 'responses',
  names: readonly (string | number)[],
): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
}

/** The parts of its documents that a contract provides. */
interface Described<T> {
  readonly contract: Contract;
  /** The version that the contract states. */
  readonly version: string;
  /** The base URL in a document without a deployment. */
  readonly example: string;
  readonly places: PlaceRules;
  /** What the contract leaves open, in sentences. */
  open(target: Partial<T>): readonly string[];
  /** Operations and their components, except the schemas. */
  parts(target: Partial<T>, placement: Placement): JsonObject & { readonly components: JsonObject };
  schemas(target: Partial<T>, placement: Placement, referTo: Refer): JsonObject;
}

/** Makes the documents of a contract. */
export function exporterOf<T extends { readonly baseUrl: string }>(
  described: Described<T>,
): Exporter<T> {
  const { contract, example, places } = described;
  return {
    openApi: (target, toolVersion) => {
      const { baseUrl } = target;
      const placement = new Placement(requirementsOf(contract), places);
      const { components, ...parts } = described.parts(target, placement);
      return {
        openapi: '3.1.0',
        info: infoOf(described, toolVersion, described.open(target)),
        servers: [
          {
            url: baseUrl ?? '{baseUrl}',
            ...(baseUrl === undefined ? { variables: { baseUrl: { default: example } } } : {}),
          },
        ],
        ...parts,
        components: { ...components, schemas: described.schemas(target, placement, refer) },
        ...placement.rest(),
        ...placement.catalogue(),
      };
    },
    jsonSchema: (target, toolVersion) => {
      const placement = new Placement(requirementsOf(contract), places);
      const { title, description } = infoOf(described, toolVersion, []);
      return {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title,
        description,
        $defs: described.schemas(target, placement, (name) => ({ $ref: `#/$defs/${name}` })),
        ...placement.catalogue(),
      };
    },
  };
}

/** The `info` object of a document. */
function infoOf(
  { contract, version }: Pick<Described<never>, 'contract' | 'version'>,
  toolVersion: string,
  open: readonly string[],
) {
  const remarks = open.length === 0 ? '' : `\n\n${open.map((line) => `- ${line}`).join('\n')}`;
  return {
    title: `The ${contract} contract`,
    version,
    description: `What the ${contract} contract promises about single requests. Written by Plumbline ${toolVersion} from the schemas and the catalogue that it judges by; \`x-plumbline-requirements\` names the requirements that stand at a place, and \`x-plumbline-catalogue\` says each. Relations between requests (order, filters, walks, states, limits) have no form in OpenAPI: only the names of their requirements are here.${remarks}`,
  };
}

/** `application/json` content with a schema. */
export function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

/** An error envelope, with fields that `inner` narrows. Both have names, since client generators number unnamed types. */
export function errorSchemas(name: string, inner: JsonObject, referTo: Refer): JsonObject {
  return {
    [name]: errorEnvelope(name, referTo),
    [`${name}Fields`]: { allOf: [referTo('ErrorFields'), { type: 'object', ...inner }] },
  };
}

/** The envelope around the fields of an error. */
export function errorEnvelope(name: string, referTo: Refer): JsonObject {
  return {
    type: 'object',
    properties: { error: referTo(`${name}Fields`) },
    required: ['error'],
  };
}

/** A security scheme of bearer keys. */
export function bearer(description: string, requirements: JsonObject): JsonObject {
  return { type: 'http', scheme: 'bearer', description, ...requirements };
}
