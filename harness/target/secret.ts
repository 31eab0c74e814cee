/** A secret that shows its name wherever it is printed, and its value only when asked for. */

import { inspect } from 'node:util';

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
