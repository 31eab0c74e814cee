/** Refuses requests to a compute deployment that the target file does not consent to. */

import { randomUUID } from 'node:crypto';

/** Special characters of a regular expression with the flag `u`, which forbids escaping a dash outside a class. */
const SIGNS = /[$()*+./?[\\\]^{|}]/gu;

/** The source of a regular expression (flag `u`) that matches `path` literally, with the expression `segment` for `{id}`. */
export function literalPattern(path: string, segment: string): string {
  return path
    .split('{id}')
    .map((part) => part.replaceAll(SIGNS, String.raw`\$&`))
    .join(segment);
}

/** An action that the run may apply to one instance. */
export type Right = 'stop' | 'start' | 'terminate';

export interface GuardRules {
  /** Method and path with `{id}`, as in the target file; undefined when not bound. */
  readonly terminate: string | undefined;
  readonly start: string | undefined;
  /** Method and path of the provision request, if the target file has one. */
  readonly provision: string | undefined;
  readonly consent: { readonly stop: boolean; readonly terminate: boolean };
}

/** A request that the suite must not send: always an error of the suite, never of the target. */
export class RequestRefused extends Error {
  override name = 'RequestRefused';
}

/** A request that changes one of the run's instances without consent in the target file. */
export class ConsentMissing extends RequestRefused {
  override name = 'ConsentMissing';
  readonly need: 'consent.stop' | 'consent.terminate';
  constructor(request: string, need: ConsentMissing['need']) {
    super(`${request} needs ${need}`);
    this.need = need;
  }
}

interface Pattern {
  readonly right: Right;
  /** Matches method and path; its group captures the id. */
  readonly pattern: RegExp;
}

/** The fewest hexadecimal digits that could match the id of a foreign instance. */
const TELLING_DIGITS = 8;

export class ComputeGuard {
  readonly #rules: GuardRules;
  readonly #patterns: readonly Pattern[];
  readonly #rights = new Map<string, Set<Right>>();
  readonly #unknownIds = new Set<string>();

  constructor(rules: GuardRules) {
    this.#rules = rules;
    const { terminate, start } = rules;
    const operations = { stop: 'POST /instances/{id}/stop', terminate, start };
    this.#patterns = (['stop', 'terminate', 'start'] as const).flatMap((right) => {
      const [method = '', path = ''] = operations[right]?.trim().split(/\s+/u) ?? [];
      if (path === '') return [];
      const source = literalPattern(`${method.toUpperCase()} ${path}`, '([^/?]*)');
      return [{ right, pattern: new RegExp(`^${source}$`, 'u') }];
    });
  }

  /** Declares an instance that the run may change: it created the instance, or the target file lists it. */
  allow(id: string, ...rights: readonly Right[]): void {
    const key = digits(id);
    const before = this.#rights.get(key) ?? new Set();
    this.#rights.set(key, new Set([...before, ...rights]));
  }

  /** Makes an id that no instance has, so that any operation may use it. */
  unknownInstanceId(): string {
    const id = randomUUID();
    this.#unknownIds.add(digits(id));
    return id;
  }

  /** Throws `RequestRefused` unless the request only reads, or changes only what the run may change. */
  check(method: string, path: string): void {
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
    if (this.#rules.provision === `${method} ${path}`) {
      if (this.#rules.consent.terminate) return;
      throw new RequestRefused(
        `${method} ${path} makes an instance, and without consent.terminate it could not be removed again`,
      );
    }
    for (const { right, pattern } of this.#patterns) {
      const id = pattern.exec(`${method} ${path}`)?.[1];
      if (id === undefined) continue;
      this.#requireRight(right, id, `${method} ${path}`);
      return;
    }
    throw new RequestRefused(`${method} ${path} is no documented or bound operation`);
  }

  #requireRight(right: Right, segment: string, request: string): void {
    const key = digits(segment);
    if (this.#existsNowhere(key)) return;
    if (this.#rights.get(key)?.has(right) !== true) {
      throw new RequestRefused(
        `${request} would ${right} an instance that is not ours to ${right}`,
      );
    }
    const consent = right === 'terminate' ? 'terminate' : 'stop';
    if (!this.#rules.consent[consent]) throw new ConsentMissing(request, `consent.${consent}`);
  }

  /** True for ids that the suite invented, whole or mangled, and for ids that are too short to exist. */
  #existsNowhere(key: string): boolean {
    if (key.length < TELLING_DIGITS || this.#unknownIds.has(key)) return true;
    if (this.#rights.has(key)) return false;
    const start = key.slice(0, TELLING_DIGITS);
    return [...this.#unknownIds].some((id) => id.startsWith(start));
  }
}

/** The hexadecimal digits of an id, so that case, braces, dashes and escapes make no difference. */
function digits(segment: string): string {
  let plain = segment;
  try {
    plain = decodeURIComponent(segment);
  } catch {
    // A broken escape is sent unchanged, so it is also read unchanged.
  }
  return plain.toLowerCase().replaceAll(/[^0-9a-f]/gu, '');
}
