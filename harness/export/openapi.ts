/** Parts of an OpenAPI 3.1 document that both contracts use. */

import type { Contract } from '../../schemas/requirement.ts';
import type { JsonObject } from './json.ts';

/** What an export is made for. */
export interface Exported {
  /** Version of the tool that writes the document. */
  readonly toolVersion: string;
}

/** A contract in the forms of other tools, as far as the target says what is open. */
export interface Exporter<T> {
  openApi(target: Partial<T>, exported: Exported): JsonObject;
  jsonSchema(target: Partial<T>, exported: Exported): JsonObject;
}

/** Refers to a schema of the same document by its name. */
export type Refer = (name: string) => JsonObject;

export const OPENAPI_VERSION = '3.1.0';

/** Beginning of a document: what it is and who wrote it. */
export function infoOf(
  contract: Contract,
  contractVersion: string,
  { toolVersion }: Exported,
  open: readonly string[],
): JsonObject {
  const remarks = open.length === 0 ? '' : `\n\n${open.map((line) => `- ${line}`).join('\n')}`;
  return {
    title: `The ${contract} contract`,
    version: contractVersion,
    description: `What the ${contract} contract promises about single requests. Written by Plumbline ${toolVersion} from the schemas and the catalogue that it judges by; \`x-plumbline-requirements\` names the requirements that stand at a place, and \`x-plumbline-catalogue\` says each. Relations between requests (order, filters, walks, states, limits) have no form in OpenAPI: only the names of their requirements are here.${remarks}`,
  };
}

/** `application/json` content of a schema. */
export function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}
