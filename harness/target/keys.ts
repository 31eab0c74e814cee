/** Keys of a target file: their paths, their names, and their secrets, which are never printed. */

import { inspect } from 'node:util';

export type KeyPath = readonly (string | number)[];

/** A path as text: `keys.tokensPerDay[0].limit`; empty for the whole file. */
export function keyPathText(path: KeyPath): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('');
}

/** The value at a path, or undefined. Only own members count, so `constructor` finds nothing. */
export function valueAt(root: unknown, path: KeyPath): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === String(step))?.[1];
  }
  return value;
}

export class Secret {
  /** The name of the secret in reports: `key:primary`. */
  readonly name: string;
  readonly #value: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.#value = value;
  }

  /** The value, only for sending. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return `‹${this.name}›`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

/** The changed key, which is a secret too; undefined when `change` returns undefined. */
export function changed(
  key: Secret,
  change: (text: string) => string | undefined,
): Secret | undefined {
  const text = change(key.reveal());
  return text === undefined ? undefined : new Secret(`${key.name}, altered`, text);
}

/** The secrets of a target by the name that replaces them in the target: `primary`, `tokensPerDay[0]`. */
export type Keyring = ReadonlyMap<string, Secret>;

/** The name of the key at a path: `keys.allowlisted.key` gives `allowlisted`. */
export function keyName(path: KeyPath): string {
  const inside = path.slice(1);
  return keyPathText(inside.length > 1 && inside.at(-1) === 'key' ? inside.slice(0, -1) : inside);
}

/** True for the path of a key: `keys.client`, `keys.serverless.key`, `keys.tokensPerDay[1].key`. */
export function holdsKey(path: KeyPath): boolean {
  return path[0] === 'keys' && (path.length === 2 || path.at(-1) === 'key');
}

/** Why a text cannot be sent as a bearer token, or undefined. Never repeats the text. */
export function tokenProblem(value: string): string | undefined {
  if (value.trim() !== value) return 'the key starts or ends with a space or a line break';
  if (!/^[\u0021-\u007E]*$/u.test(value)) {
    return 'the key has a space or a character that no header can carry';
  }
  return undefined;
}

/** Roles that may share a key with `unlimited`: an ordinary client key may have no quotas. */
const shareable = new Set(['unlimited', 'client', 'second']);

/** Pairs of roles that wrongly share a key: the suite would attribute the behaviour of one role to the other. */
export function sharedKeys(ring: Keyring): readonly (readonly [later: string, earlier: string])[] {
  const pairs: (readonly [string, string])[] = [];
  const all = [...ring];
  for (const [index, [later, secret]] of all.entries()) {
    for (const [earlier, other] of all.slice(0, index)) {
      if (secret.reveal() !== other.reveal()) continue;
      const unlimited = later === 'unlimited' || earlier === 'unlimited';
      if (unlimited && shareable.has(later) && shareable.has(earlier)) continue;
      pairs.push([later, earlier]);
    }
  }
  return pairs;
}

/** The secret of one key, with its name in reports. */
export function keySecret(name: string, value: string): Secret {
  return new Secret(`key:${name}`, value);
}

/** The secrets as text, by name. Only for passing them to another thread in memory: they must never be written. */
export function revealedKeys(keys: Keyring): Readonly<Record<string, string>> {
  return Object.fromEntries([...keys].map(([name, secret]) => [name, secret.reveal()]));
}
