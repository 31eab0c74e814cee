/** JSON Schema from a JSONPath: what a body must look like for the path to find something. */

import type { JsonObject } from './json.ts';

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
