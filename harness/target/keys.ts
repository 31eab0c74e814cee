/** Keys of a target file: their places, their names, and the secrets that nothing prints. */

import { inspect } from 'node:util';

export type KeyPath = readonly (string | number)[];

/** `keys.tokensPerDay[0].limit`; empty for the whole file. */
export function keyPathText(path: KeyPath): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('');
}

/** What stands at a path; undefined where nothing does. Only own members count: a name such as `constructor` is none. */
export function valueAt(root: unknown, path: KeyPath): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === String(step))?.[1];
  }
  return value;
}

export class Secret {
  /** What the secret is, as a reader of a report sees it: `key:primary`. */
  readonly name: string;
  readonly #value: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.#value = value;
  }

  /** The value itself; only for what goes over the wire. */
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

/** What a change makes of a key; undefined when the change gives undefined. It stays a secret. */
export function changed(
  key: Secret,
  change: (text: string) => string | undefined,
): Secret | undefined {
  const text = change(key.reveal());
  return text === undefined ? undefined : new Secret(`${key.name}, altered`, text);
}

/** The secrets of a target by the name that stands for them in the target: `primary`, `tokensPerDay[0]`. */
export type Keyring = ReadonlyMap<string, Secret>;

/** The name of the key that stands at a path: `keys.allowlisted.key` is `allowlisted`. */
export function keyName(path: KeyPath): string {
  const inside = path.slice(1);
  return keyPathText(inside.length > 1 && inside.at(-1) === 'key' ? inside.slice(0, -1) : inside);
}

/** True for a place that holds a key: `keys.client`, `keys.serverless.key`, `keys.tokensPerDay[1].key`. */
export function holdsKey(path: KeyPath): boolean {
  return path[0] === 'keys' && (path.length === 2 || path.at(-1) === 'key');
}

/** Why a text cannot be sent as a bearer token, if so. Never repeats the text. */
export function tokenProblem(value: string): string | undefined {
  if (value.trim() !== value) return 'the key starts or ends with a space or a line break';
  if (!/^[\u0021-\u007E]*$/u.test(value)) {
    return 'the key has a space or a character that no header can carry';
  }
  return undefined;
}

/** Roles that may share a key with others: an ordinary client key may be one without quotas. */
const shareable = new Set(['unlimited', 'client', 'second']);

/**
 * Two roles that hold the same key although they must not: what is learned from one would be blamed on the
 * other. The later one comes first.
 */
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

/** The secret of one key, under the name that reports show. */
export function keySecret(name: string, value: string): Secret {
  return new Secret(`key:${name}`, value);
}

/** The secrets as text, by name: for what crosses to another thread in memory, and for nothing that is written. */
export function revealedKeys(keys: Keyring): Readonly<Record<string, string>> {
  return Object.fromEntries([...keys].map(([name, secret]) => [name, secret.reveal()]));
}
