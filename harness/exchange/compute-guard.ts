/** What a run may send to a compute deployment: nothing that was not consented to. */

import { randomUUID } from 'node:crypto';

/** The signs that mean something in a pattern whose flag is `u`; a dash means nothing outside a class, and must not be escaped. */
const SIGNS = /[$()*+./?[\\\]^{|}]/gu;

/**
 * The source of a pattern that matches a path just as it is written, with `segment`, the source of a pattern, wherever it has
 * `{id}`. To be compiled with the flag `u`.
 */
export function literalPattern(path: string, segment: string): string {
  return path
    .split('{id}')
    .map((part) => part.replaceAll(SIGNS, String.raw`\$&`))
    .join(segment);
}

/** What may be done to one instance. */
export type Right = 'stop' | 'start' | 'terminate';

export interface GuardRules {
  /** Paths with `{id}`, method first, as in the target file; undefined when not bound. */
  readonly terminate: string | undefined;
  readonly start: string | undefined;
  /** The provision request, method first, if instances are made by a request. */
  readonly provision: string | undefined;
  readonly consent: { readonly stop: boolean; readonly terminate: boolean };
}

/** A request that we must not send. It is always a mistake of ours, never of the target. */
export class RequestRefused extends Error {
  override name = 'RequestRefused';
}

/** A request that changes an instance of ours, for which the target file gives no leave. */
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
  /** Of method and path, with the id as its group. */
  readonly pattern: RegExp;
}

/** The shortest run of hexadecimal digits that could be taken for an id of somebody else. */
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

  /** Declares an instance that may be changed: made by this run, or listed in the target file for it. */
  allow(id: string, ...rights: readonly Right[]): void {
    const key = digits(id);
    const before = this.#rights.get(key) ?? new Set();
    this.#rights.set(key, new Set([...before, ...rights]));
  }

  /** An id that exists nowhere: any operation may be probed with it. */
  unknownInstanceId(): string {
    const id = randomUUID();
    this.#unknownIds.add(digits(id));
    return id;
  }

  /** Throws `RequestRefused` unless the request only reads, or changes nothing but what it may. */
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
    const consented =
      right === 'terminate' ? this.#rules.consent.terminate : this.#rules.consent.stop;
    if (!consented) {
      throw new ConsentMissing(
        request,
        right === 'terminate' ? 'consent.terminate' : 'consent.stop',
      );
    }
  }

  /** True for ids that we invented, whole or mangled, and for what is too short to be anybody's. */
  #existsNowhere(key: string): boolean {
    if (key.length < TELLING_DIGITS) return true;
    if (this.#unknownIds.has(key)) return true;
    const start = key.slice(0, TELLING_DIGITS);
    for (const id of this.#unknownIds)
      if (id.startsWith(start) && !this.#rights.has(key)) return true;
    return false;
  }
}

/** The hexadecimal digits of an id, however it is dressed: case, braces, dashes and escapes do not hide an id. */
function digits(segment: string): string {
  let plain = segment;
  try {
    plain = decodeURIComponent(segment);
  } catch {
    // A broken escape is sent as it is, and read as it is.
  }
  return plain.toLowerCase().replaceAll(/[^0-9a-f]/gu, '');
}
