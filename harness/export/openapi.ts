/** Parts of an OpenAPI 3.1 document and of JSON Schema that every contract uses. */

import { z } from 'zod';
import { requirementsOf } from '../../schemas/contracts.ts';
import type { Contract, Requirement } from '../../schemas/requirement.ts';

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

/** One step of a plain path: a member, or every item of an array. */
type Step = { readonly member: string } | 'items';

const step = /\.([A-Za-z_][\w-]*)|\['([^'\\]+)'\]|(\[\*\])/uy;

/**
 * The schema of a body in which a JSONPath leads to something of a given form: `$.data[*].code` is an object with
 * `data`, an array of objects with `code`. A bare name is a member, too. Undefined for paths that do more than walk.
 */
export function schemaAlong(
  path: string,
  leaf: JsonObject,
  everyArray: JsonObject = {},
): JsonObject | undefined {
  const steps = stepsOf(path);
  return steps?.reduceRight<JsonObject>((inner, one) => {
    if (one === 'items') return { type: 'array', items: inner, ...everyArray };
    return { type: 'object', properties: { [one.member]: inner }, required: [one.member] };
  }, leaf);
}

function stepsOf(path: string): readonly Step[] | undefined {
  if (!path.startsWith('$')) return [{ member: path }];
  const steps: Step[] = [];
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const [, dotted, quoted, items] = step.exec(path) ?? [];
    const member = dotted ?? quoted;
    if (member !== undefined) steps.push({ member });
    else if (items !== undefined) steps.push('items');
    // A path that filters, slices or descends says nothing that a schema could say as well.
    else return undefined;
  }
  return steps;
}

/** The extension that names requirements. */
const REQUIREMENTS = 'x-plumbline-requirements';

/** Part of a document: its kind, then its name, as in `parameter:listInstances.size`. */
export type Place =
  | 'document'
  | `${'operation' | 'parameter' | 'body' | 'response' | 'header' | 'schema' | 'property' | 'security'}:${string}`;

/** What a requirement is, as in `size-zero compute#list-instances/size`, and where it stands; `$1` is the first group. */
export type PlaceRule = readonly [about: RegExp, place: Place];

/** Where requirements stand, by their sections: the first rule that fits says it, and where none does it is the document. */
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

/** Hands out the requirements of each place once, and what no place took to the document itself. */
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

  /** The extension for a place, to be spread into it; nothing when no requirement stands there. */
  at(place: Place): JsonObject {
    const ids = this.#waiting.get(place);
    this.#waiting.delete(place);
    return ids === undefined ? {} : { [REQUIREMENTS]: ids };
  }

  /** The extension with all that was not taken; to be asked last. */
  rest(): JsonObject {
    const ids = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return ids.length === 0 ? {} : { [REQUIREMENTS]: ids };
  }

  /** What each requirement that has its place says, for readers who have only the document. */
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

/** A contract in the forms of other tools, as far as the target says what is open. */
export interface Exporter<T> {
  /** OpenAPI 3.1 of a deployment, or of any. */
  openApi(target: Partial<T>, toolVersion: string): JsonObject;
  /** Every body that the contract shows, under `$defs`, as JSON Schema 2020-12. */
  jsonSchema(target: Partial<T>, toolVersion: string): JsonObject;
}

/** Refers to a schema of the same document by its name. */
export type Refer = (name: string) => JsonObject;

export const refer: Refer = (name) => ({ $ref: `#/components/schemas/${name}` });

/** What a contract puts into its documents. */
interface Described<T> {
  readonly contract: Contract;
  /** As the contract itself states it. */
  readonly version: string;
  /** The base URL of a document of no deployment. */
  readonly example: string;
  readonly places: PlaceRules;
  /** What is open, in sentences. */
  open(target: Partial<T>): readonly string[];
  /** Operations and their components, but for the schemas. */
  parts(target: Partial<T>, placement: Placement): JsonObject & { readonly components: JsonObject };
  schemas(target: Partial<T>, placement: Placement, referTo: Refer): JsonObject;
}

/** The documents of a contract. */
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

/** Beginning of a document: what it is and who wrote it. */
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

/** `application/json` content of a schema. */
export function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

/**
 * An error envelope and the object in it, of which `inner` says more than `ErrorFields`: both are schemas with names,
 * since generators of clients number the types of what has none.
 */
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
