/** Credentials that clients send: each gets a name at once, and none is ever written. */

import { type Exchange, type HeaderLines, headerValues } from '../exchange/exchange.ts';
import { Redactor } from '../exchange/redaction.ts';
import { keySecret, Secret } from '../target/keys.ts';

/** Keys that are told apart and taken out of everything that is written. */
const MAX_KEYS = 10_000;
/** Shorter cookies are settings more often than secrets; they are still taken out of their own header. */
const SHORTEST_COOKIE = 16;

const SECRET_HEADER =
  /^(?:proxy-)?authorization$|(?:^|-)(?:api-?key|auth-?token|access-?token|secret|password)$/iu;
const SECRET_PARAMETER =
  /^(?:api[_-]?key|access[_-]?token|token|key|secret|password|auth|sig|signature)$/iu;

export class Credentials {
  readonly #names = new Map<string, Secret>();
  readonly #known = new Map<string, string>();
  readonly #redactor: Redactor;
  readonly #most: number;
  #unknown = 0;
  #overflows = false;

  /** Secrets of the target file by their names there; `most` is how many keys are told apart in all. */
  constructor(secrets: Readonly<Record<string, string>>, most = MAX_KEYS) {
    this.#most = most;
    for (const [name, value] of Object.entries(secrets)) {
      if (this.#known.has(value)) continue;
      this.#known.set(value, name);
      this.#names.set(value, keySecret(name, value));
    }
    this.#redactor = new Redactor(this.#names.values());
  }

  /** Takes every credential out of what is to be written, the ones that were seen only later as well. */
  get redactor(): Redactor {
    return this.#redactor;
  }

  /** True once there were more keys than can be remembered: bodies may then hold one, and must not be written. */
  get overflows(): boolean {
    return this.#overflows;
  }

  /** The exchange with names instead of the credentials in its headers, and the name of the key that it was sent with. */
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

  /** The name of a key of the target, also where a recording holds the name alone. */
  #keyOf(token: string): string | undefined {
    return this.#known.get(token) ?? /^‹key:([^›]*)›$/u.exec(token)?.[1];
  }

  #lines(lines: HeaderLines, side: 'request' | 'response'): HeaderLines {
    return lines.map(([name, value]) => {
      const lower = name.toLowerCase();
      if (lower === 'cookie') return [name, this.#cookies(value)];
      // Behind the first pair stand the attributes of the cookie.
      if (lower === 'set-cookie') return [name, this.#cookies(value, 1)];
      if (side === 'response' || !SECRET_HEADER.test(name)) return [name, value];
      return [name, this.#credential(value)];
    });
  }

  /** `Bearer abc` keeps its scheme: it tells how the client tried. */
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

  /** The name that stands for a secret; one that was never seen before gets a new one. */
  #nameOf(value: string): string {
    // What a report has taken out already is no secret.
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
    this.#redactor.add(secret);
    return String(secret);
  }
}

/** A bare word that is no secret: the client named a scheme and sent nothing with it. */
function isScheme(value: string): boolean {
  return /^\s*(?:bearer|basic|digest|token)?\s*$/iu.test(value);
}
