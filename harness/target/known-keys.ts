/** Which keys a target file may have, and which one an unknown key was meant to be. */

import { z } from 'zod';
import { computeTargetFile, routerTargetFile } from '../../schemas/target.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { type KeyPath, keyPathText } from './key-path.ts';
import { closest } from './suggestion.ts';

type Shape = z.core.JSONSchema.BaseSchema;

const schemas = { compute: computeTargetFile, router: routerTargetFile } as const;

function shapeOf(contract: Contract): Shape {
  return z.toJSONSchema(schemas[contract], { io: 'input' });
}

let cached: readonly Shape[] | undefined;

/** True for a place that a target file of either contract has. */
export function isKnownPlace(path: KeyPath): boolean {
  cached ??= [shapeOf('compute'), shapeOf('router')];
  return cached.some((root) => placesAt(root, path).length > 0);
}

/** What to do about a key that the place does not know. `path` ends in the key. */
export function unknownKeyHint(contract: Contract, path: KeyPath): string {
  const key = String(path.at(-1));
  const root = shapeOf(contract);
  const here = keysAt(root, path.slice(0, -1));
  const near = closest(key, here);
  if (near !== undefined) return `Did you mean ${near}?`;
  const elsewhere = homes(root, key).filter((home) => home !== keyPathText(path));
  if (elsewhere.length > 0) return `It belongs elsewhere: ${elsewhere.join(' or ')}.`;
  const other: Contract = contract === 'compute' ? 'router' : 'compute';
  if (keysAt(shapeOf(other), path.slice(0, -1)).includes(key)) {
    return `Only a ${other} target has it; this is a ${contract} target.`;
  }
  return `Known here: ${here.join(', ')}.`;
}

/** The schema itself and the alternatives of its unions. */
function alternatives(place: unknown): readonly Shape[] {
  if (!isShape(place)) return [];
  return [place, ...(place.anyOf ?? []).flatMap(alternatives)];
}

function isShape(place: unknown): place is Shape {
  return typeof place === 'object' && place !== null && !Array.isArray(place);
}

function placesAt(root: Shape, path: KeyPath): readonly Shape[] {
  let places = alternatives(root);
  for (const step of path) {
    places = places.flatMap((place) =>
      alternatives(typeof step === 'number' ? place.items : own(place.properties, step)),
    );
  }
  return places;
}

function own(members: Shape['properties'], name: string): unknown {
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
}

function keysAt(root: Shape, path: KeyPath): readonly string[] {
  return [...new Set(placesAt(root, path).flatMap((place) => Object.keys(place.properties ?? {})))];
}

/** Every place where a key of this name may stand. */
function homes(place: unknown, key: string, path: KeyPath = []): readonly string[] {
  const found: string[] = [];
  for (const one of alternatives(place)) {
    for (const [name, inner] of Object.entries(one.properties ?? {})) {
      if (name === key) found.push(keyPathText([...path, name]));
      found.push(...homes(inner, key, [...path, name]));
    }
  }
  return found;
}
