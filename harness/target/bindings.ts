/** Reads values from a body at the places that the target's bindings name, where the contract leaves them open. */

import { type JsonValue, query } from 'jsonpath-rfc9535';
import { isObject } from '../exchange/body.ts';

/** The value that a binding found, or why it found none, as a sentence for a report. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

type JsonObject = Readonly<Record<string, unknown>>;

/** A member of an object by name or JSONPath (`name` or `$.name`); undefined when absent, or when the path finds several. */
export function readMember(holder: unknown, member: string): unknown {
  if (!member.startsWith('$')) {
    return isObject(holder) && Object.hasOwn(holder, member) ? holder[member] : undefined;
  }
  const found = valuesAt(holder, member);
  return found.length === 1 ? found[0] : undefined;
}

/** The record of one instance in a body (`bindings.getInstance.record`). */
export function readRecord(body: unknown, path: string): JsonObject | undefined {
  const found = readMember(body, path);
  return isObject(found) ? found : undefined;
}

/** The id of a new instance in the response to its provision request (`instances.provision.id`). */
export function readIdentifier(body: unknown, path: string): string | undefined {
  const found = readMember(body, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The region codes in a body (`bindings.regions.codes`). */
export function readRegionCodes(body: unknown, path: string): Reading<readonly string[]> {
  const found = valuesAt(body, path);
  // A path to the list itself selects its members.
  const [only] = found;
  const list = found.length === 1 && Array.isArray(only);
  const codes: readonly unknown[] = list ? only : found;
  const where = `bindings.regions.codes (${path})`;
  if (codes.length === 0 && !list)
    return { ok: false, reason: `${where} finds nothing in ${outline(body)}` };
  if (!codes.every((code) => typeof code === 'string')) {
    const other = codes.find((code) => typeof code !== 'string');
    return { ok: false, reason: `${where} finds ${outline(other)} where a code should be` };
  }
  return { ok: true, value: codes };
}

/** The array of presets in a page of them (`bindings.presets.items`); it may be empty. */
export function readPresets(body: unknown, member: string): Reading<readonly JsonObject[]> {
  const where = `bindings.presets.items (${member})`;
  const items = readMember(body, member);
  if (items === undefined) {
    return { ok: false, reason: `${where} finds nothing in ${outline(body)}` };
  }
  if (!Array.isArray(items)) {
    return { ok: false, reason: `${where} finds ${outline(items)} and no list` };
  }
  const presets: readonly unknown[] = items;
  if (!presets.every(isObject)) {
    const other = presets.find((item) => !isObject(item));
    return { ok: false, reason: `${where} holds ${outline(other)} where a preset should be` };
  }
  return { ok: true, value: presets };
}

/** Everything that a JSONPath finds; nothing for an invalid path, which a loaded target cannot have. */
function valuesAt(holder: unknown, path: string): readonly unknown[] {
  if (!isJson(holder)) return [];
  try {
    return query(holder, path);
  } catch {
    return [];
  }
}

/** False only for an absent value, since all others come from parsed JSON. */
export function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}

/** The kind of a value with the names of its members, but without its content. */
function outline(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (!isObject(value)) return `a ${typeof value}`;
  const names = Object.keys(value);
  return names.length === 0 ? 'an empty object' : `an object with ${names.join(', ')}`;
}
