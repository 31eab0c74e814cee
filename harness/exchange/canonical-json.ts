/** JSON values as text that is the same whenever they mean the same: the members of an object have no order (RFC 8259 section 4). */

import { isObject } from './body.ts';

/** Deeper than this a value is hostile, and no longer told apart. */
const DEPTH = 64;

/** Text of a JSON value with the members of each object by their names. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(inOrder(value, 0, false)) ?? 'undefined';
}

/** The same, with the items of each list in an order of our own too: for sets that are written as lists. */
export function canonicalSets(value: unknown): string {
  return JSON.stringify(inOrder(value, 0, true)) ?? 'undefined';
}

function inOrder(value: unknown, depth: number, listsAreSets: boolean): unknown {
  if (depth > DEPTH) return 'deep';
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => inOrder(item, depth + 1, listsAreSets));
    if (!listsAreSets) return items;
    const texts = items.map((item) => JSON.stringify(item) ?? '');
    return texts.toSorted();
  }
  if (typeof value === 'bigint') return { integer: String(value) };
  if (!isObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(
    names.map((name) => [name, inOrder(value[name], depth + 1, listsAreSets)]),
  );
}
