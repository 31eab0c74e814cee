/** Knows which keys a target file may have, and suggests one for a mistyped key. */

import { closest as nearest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { contractData, contractNames } from '../../schemas/contracts.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { type KeyPath, keyPathText } from './keys.ts';

/** The most similar known word, ignoring case, `-` and `_`; undefined when none is similar enough. */
export function closest(given: string, known: readonly string[]): string | undefined {
  const [first] = known;
  if (first === undefined) return undefined;
  const byPlain = new Map(known.toReversed().map((word) => [plain(word), word]));
  const near = nearest(plain(given), [...byPlain.keys()]);
  const tolerated = Math.max(1, Math.floor(near.length / 3));
  return distance(plain(given), near) <= tolerated ? byPlain.get(near) : undefined;
}

/** `Did you mean WORD?`, or `otherwise` when no known word is similar. */
export function meant(given: string, known: readonly string[], otherwise: string): string {
  const near = closest(given, known);
  return near === undefined ? otherwise : `Did you mean ${near}?`;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[_-]/gu, '');
}

type Shape = z.core.JSONSchema.BaseSchema;

const shapes = new Map<Contract, Shape>();

/** Made on demand, since most files have no unknown key. */
function shapeOf(contract: Contract): Shape {
  const known = shapes.get(contract);
  if (known !== undefined) return known;
  const shape = z.toJSONSchema(contractData(contract).targetFile, { io: 'input' });
  shapes.set(contract, shape);
  return shape;
}

/** True for a path that is known to the target file of any contract. */
export function isKnownPlace(path: KeyPath): boolean {
  return contractNames.some((contract) => placesAt(shapeOf(contract), path).length > 0);
}

/** The hint for an unknown key at the end of `path`. */
export function unknownKeyHint(contract: Contract, path: KeyPath): string {
  const key = String(path.at(-1));
  const root = shapeOf(contract);
  const here = keysAt(root, path.slice(0, -1));
  const near = closest(key, here);
  if (near !== undefined) return `Did you mean ${near}?`;
  const elsewhere = homes(root, key).filter((home) => home !== keyPathText(path));
  if (elsewhere.length > 0) return `It belongs elsewhere: ${elsewhere.join(' or ')}.`;
  const other = contractNames.find((name) =>
    keysAt(shapeOf(name), path.slice(0, -1)).includes(key),
  );
  if (other !== undefined) {
    return `Only a ${other} target has it; this is a ${contract} target.`;
  }
  return `Known here: ${here.join(', ')}.`;
}

/** A schema and the alternatives of its unions. */
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

/** Every path at which a key of this name is known. */
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
