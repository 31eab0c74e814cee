/** Where in a JSON body something stands, as a JSONPath with list positions left open. */

import { isObject } from '../../exchange/body.ts';

export interface PlacedValue {
  /** `$.data[*].code` */
  readonly path: string;
  readonly value: unknown;
}

const DEEPEST = 6;

/** Every value of a body that is no list and no object, in document order. */
export function leavesOf(body: unknown, path = '$', depth = 0): readonly PlacedValue[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(body)) {
    return body.flatMap((item: unknown) => leavesOf(item, `${path}[*]`, depth + 1));
  }
  if (!isObject(body)) return [{ path, value: body }];
  return Object.entries(body).flatMap(([name, value]) =>
    leavesOf(value, `${path}${step(name)}`, depth + 1),
  );
}

/** Every list of a body that holds objects, the outermost ones alone. */
export function listsOf(
  body: unknown,
  path = '$',
  depth = 0,
): readonly { readonly path: string; readonly items: readonly unknown[] }[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(body)) {
    const items: readonly unknown[] = body;
    return items.some(isObject) ? [{ path, items }] : [];
  }
  if (!isObject(body)) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    listsOf(value, `${path}${step(name)}`, depth + 1),
  );
}

/** Every object of a body that is in no list, the body first. */
export function objectsOf(
  body: unknown,
  path = '$',
  depth = 0,
): readonly { readonly path: string; readonly object: Readonly<Record<string, unknown>> }[] {
  if (!isObject(body) || depth > DEEPEST) return [];
  const inner = Object.entries(body).flatMap(([name, value]) =>
    objectsOf(value, `${path}${step(name)}`, depth + 1),
  );
  return [{ path, object: body }, ...inner];
}

/** A binding as people write it: the name alone where a path is a member of the object itself. */
export function shortest(path: string): string {
  return /^\$\.[A-Za-z_]\w*$/u.test(path) ? path.slice(2) : path;
}

function step(name: string): string {
  return /^[A-Za-z_]\w*$/u.test(name)
    ? `.${name}`
    : `['${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;
}
