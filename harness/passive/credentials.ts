/** Client credentials: each gets a name at once, and none is ever written. */

import { type Exchange, type HeaderLines, headerValues } from '../exchange/exchange.ts';
import { Redactor } from '../exchange/redaction.ts';
import { keySecret, Secret } from '../target/keys.ts';

/** Maximum number of distinct keys. Each is removed from everything that is written. */
const MAX_KEYS = 10_000;
/** Shorter cookie values are usually settings, not secrets. They are removed from their own header only. */
const SHORTEST_COOKIE = 16;

const SECRET_HEADER =
  /^(?:proxy-)?authorization$|(?:^|-)(?:api-?key|auth-?token|access-?token|secret|password)$/iu;
const SECRET_PARAMETER =
  /^(?:api[_-]?key|access[_-]?token|token|key|secret|password|auth|sig|signature)$/iu;

export class Credentials {
  readonly #names = new Map<string, Secret>();
  readonly #known = new Map<string, string>();
  /** Removes every known credential from a text, also those that were seen after the text. */
  readonly redactor: Redactor;
  readonly #most: number;
  #unknown = 0;
  #overflows = false;

  /** `secrets` of the target file, by name; `most` is the maximum number of distinct keys. */
  constructor(secrets: Readonly<Record<string, string>>, most = MAX_KEYS) {
    this.#most = most;
    for (const [name, value] of Object.entries(secrets)) {
      if (this.#known.has(value)) continue;
      this.#known.set(value, name);
      this.#names.set(value, keySecret(name, value));
    }
    this.redactor = new Redactor(this.#names.values());
  }

  /** True once a key could not be remembered. Bodies may contain it, so they must not be written. */
  get overflows(): boolean {
    return this.#overflows;
  }

  /** The exchange with names in place of credentials in its headers, and the name of its key. */
  named(exchange: Exchange): Exchange {
    const { request, response } = exchange;
    const [authorization] = headerValues(request.headers, 'authorization');
    const token = /^bearer +(\S+)$/iu.exec(authorization ?? '')?.[1];
    for (const [name, value] of new URLSearchParams(request.query)) {
      if (SECRET_PARAMETER.test(name)) this.#nameOf(value);
    }
    return {
      ...exchange,
      request: {
        ...request,
        headers: this.#lines(request.headers, 'request'),
        credential: token === undefined ? undefined : this.#keyOf(token),
      },
      response: response && { ...response, headers: this.#lines(response.headers, 'response') },
    };
  }

  /** The name of a key of the target. A recording may contain just the name. */
  #keyOf(token: string): string | undefined {
    return this.#known.get(token) ?? /^‹key:([^›]*)›$/u.exec(token)?.[1];
  }

  #lines(lines: HeaderLines, side: 'request' | 'response'): HeaderLines {
    return lines.map(([name, value]) => {
      const lower = name.toLowerCase();
      if (lower === 'cookie') return [name, this.#cookies(value)];
      // The attributes of the cookie follow the first pair.
      if (lower === 'set-cookie') return [name, this.#cookies(value, 1)];
      if (side === 'response' || !SECRET_HEADER.test(name)) return [name, value];
      return [name, this.#credential(value)];
    });
  }

  /** Keeps the scheme of `Bearer abc`, since it shows how the client authenticates. */
  #credential(value: string): string {
    const parts = /^(\S+)([ \t]+)(.*\S)([ \t]*)$/su.exec(value);
    if (parts === null) return isScheme(value) ? value : this.#nameOf(value);
    const [, scheme = '', blank = '', token = '', end = ''] = parts;
    if (scheme.toLowerCase() === 'basic') {
      const [, password] = /:(.*)$/su.exec(Buffer.from(token, 'base64').toString()) ?? [];
      if (password !== undefined) this.#nameOf(password);
    }
    return `${scheme}${blank}${this.#nameOf(token)}${end}`;
  }

  #cookies(value: string, count = Infinity): string {
    return value
      .split(';')
      .map((pair, at) => (at < count ? this.#cookie(pair) : pair))
      .join(';');
  }

  #cookie(pair: string): string {
    const equals = pair.indexOf('=');
    const content = pair.slice(equals + 1).trim();
    if (content === '') return pair;
    if (content.length >= SHORTEST_COOKIE) this.#nameOf(content);
    return equals === -1 ? '‹cookie›' : `${pair.slice(0, equals + 1)}‹cookie›`;
  }

  /** The name for a secret, a new one if the secret is new. */
  #nameOf(value: string): string {
    // Already redacted by a report.
    if (value.trim() === '' || /^‹[^›]*›$/u.test(value)) return value;
    const known = this.#names.get(value);
    if (known !== undefined) return String(known);
    if (this.#names.size >= this.#most) {
      this.#overflows = true;
      return '‹unknown key›';
    }
    this.#unknown += 1;
    const secret = new Secret(`unknown key ${this.#unknown}`, value);
    this.#names.set(value, secret);
    this.redactor.add(secret);
    return String(secret);
  }
}

/** True for a scheme without a credential. */
function isScheme(value: string): boolean {
  return /^\s*(?:bearer|basic|digest|token)?\s*$/iu.test(value);
}
