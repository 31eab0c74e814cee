/** Looking into JSON of which nothing is known. */

/** A member of an object; undefined for everything that is no object or lacks it. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

/** The object under `error`, undefined when there is none. */
export function errorObject(json: unknown): object | undefined {
  const error = memberOf(json, 'error');
  return typeof error === 'object' && error !== null ? error : undefined;
}

/** Bytes as JSON; undefined when they are none. */
export function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
