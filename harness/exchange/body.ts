/** Reads response bodies: bounded content decoding, UTF-8, and JSON without loss. Each body is read once. */

import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { type Exchange, headerValue, messageOf } from './exchange.ts';

/** The values of a member that occurs more than once in its object. No contract type accepts this class. */
export class RepeatedMember {
  readonly repeated: readonly unknown[];
  constructor(repeated: readonly unknown[]) {
    this.repeated = repeated;
  }
}

const TOKEN = /\s*([[\]{}:,]|"(?:[^"\\]|\\.)*"|[^\s[\]{}:,"]+)/uy;

/** Parses a JSON text; a repeated member becomes a `RepeatedMember`. @throws {SyntaxError} if the text is not JSON */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // The second reading takes ten times as long as JSON.parse, and these two tests exclude nearly every text.
  return JSON.stringify(value) === text || losesNothing(text, value)
    ? value
    : new Reader(text).value();
}

/** True when a text has as many members as the value that was parsed from it, and no integer that a double may round. */
function losesNothing(text: string, value: unknown): boolean {
  return !/\d{16}/u.test(text) && membersWritten(text) === membersParsed(value);
}

/** A string of a JSON text, and the colon after it where it names a member. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gu;

/** The members that a JSON text writes: the strings before a colon. */
function membersWritten(text: string): number {
  let members = 0;
  for (const [, colon] of text.matchAll(STRING)) if (colon !== undefined) members += 1;
  return members;
}

/** The members of all objects in a value. */
function membersParsed(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>(
    (sum, one) => sum + membersParsed(one),
    Array.isArray(value) ? 0 : inner.length,
  );
}

/** Longer integers are certainly no ids, and cost too much to parse exactly. */
const MAX_DIGITS = 100;

/** True for the text of an integer that a double cannot represent. */
function isInexact(token: string): boolean {
  if (!/^-?\d+$/u.test(token) || token.length > MAX_DIGITS) return false;
  const double = Number(token);
  return !Number.isSafeInteger(double) && String(double) !== token;
}

/** A number for comparisons by size: a bigint becomes the nearest double. */
export function figureOf(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Parses a text that is known to be JSON, keeping repeated members and large integers. */
class Reader {
  readonly #tokens: Iterator<string>;

  constructor(text: string) {
    const tokens: string[] = [];
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
      tokens.push(match[1] ?? '');
    }
    this.#tokens = tokens[Symbol.iterator]();
  }

  value(first = this.#next()): unknown {
    if (first === '{') return this.#object();
    if (first !== '[') return isInexact(first) ? BigInt(first) : JSON.parse(first);
    const items: unknown[] = [];
    for (let token = this.#next(); token !== ']'; token = this.#next()) {
      if (token !== ',') items.push(this.value(token));
    }
    return items;
  }

  #object(): unknown {
    const members = new Map<string, unknown[]>();
    for (let token = this.#next(); token !== '}'; token = this.#next()) {
      if (token === ',') continue;
      const name = String(JSON.parse(token));
      this.#next();
      const values = members.get(name);
      if (values === undefined) members.set(name, [this.value()]);
      else values.push(this.value());
    }
    return Object.fromEntries(
      Array.from(members, ([name, values]) => [
        name,
        values.length === 1 ? values[0] : new RepeatedMember(values),
      ]),
    );
  }

  #next(): string {
    const { value, done } = this.#tokens.next();
    if (done === true) throw new SyntaxError('the text ends early');
    return value;
  }
}

/** A body as JSON, or why it is not JSON. */
export type JsonBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** The largest decoded size of a compressed body, in bytes. */
const DECODED_LIMIT = 16 * 1024 * 1024;
/** The deepest nesting of a body that is parsed: walking a deeper one would exhaust the stack. */
const MAX_DEPTH = 500;
/** The most values of a body that is parsed: a few bytes of text for each become hundreds in memory. */
const MAX_VALUES = 500_000;

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gunzipSync(bytes, { maxOutputLength: DECODED_LIMIT }),
  'x-gzip': (bytes) => gunzipSync(bytes, { maxOutputLength: DECODED_LIMIT }),
  deflate: (bytes) => inflateSync(bytes, { maxOutputLength: DECODED_LIMIT }),
  br: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: DECODED_LIMIT }),
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
const known = new WeakMap<Exchange, { deref(): JsonBody | undefined }>();
/** Parsed bodies of more bytes than this are held by weak references only, since they may take twenty times the memory. */
const LARGE = 64 * 1024;

function decoded(exchange: Exchange): Uint8Array {
  const response = exchange.response;
  if (response === undefined) return new Uint8Array();
  const codings = (headerValue(response.headers, 'content-encoding') ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  let bytes = response.body;
  for (const coding of codings.toReversed()) {
    const decode = decoders[coding];
    if (decode === undefined) throw new Error(`the content coding "${coding}" is unknown`);
    bytes = decode(bytes);
  }
  return bytes;
}

/** False for a response body with an unknown content coding, or one that decodes to more than the limit. */
export function isDecodable(exchange: Exchange): boolean {
  try {
    decoded(exchange);
    return true;
  } catch {
    return false;
  }
}

/** The response body without its content coding; as it came if that cannot be undone. */
export function plainBody(exchange: Exchange): Uint8Array {
  try {
    return decoded(exchange);
  } catch {
    return exchange.response?.body ?? new Uint8Array();
  }
}

/** The response body as text. Bytes that are not UTF-8 become replacement characters. */
export function bodyText(exchange: Exchange): string {
  return Buffer.from(plainBody(exchange)).toString('utf8');
}

function read(exchange: Exchange): JsonBody {
  if (exchange.response === undefined) return { ok: false, problem: 'there was no response' };
  if (exchange.ending !== 'complete') {
    return { ok: false, problem: `the response did not arrive whole (${exchange.ending})` };
  }
  let text: string;
  try {
    text = strictUtf8.decode(decoded(exchange));
  } catch (error) {
    return { ok: false, problem: `the body cannot be decoded: ${String(error)}` };
  }
  if (text.trim() === '') return { ok: false, problem: 'the body is empty' };
  if (isTooDeep(text)) {
    return { ok: false, problem: `the body is nested deeper than ${MAX_DEPTH} levels` };
  }
  if (holdsMore(text, [',', '[', '{'], MAX_VALUES)) {
    return { ok: false, problem: `the body holds more than ${MAX_VALUES} values` };
  }
  try {
    return { ok: true, value: parseExactly(text) };
  } catch (error) {
    return { ok: false, problem: `the body is not JSON: ${messageOf(error)}` };
  }
}

/** Counts brackets outside of strings. */
function isTooDeep(text: string): boolean {
  // Few bodies have that many brackets, and counting them first is cheap.
  if (!holdsMore(text, ['[', '{'], MAX_DEPTH)) return false;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at];
    if (quoted) {
      if (unit === '\\') at += 1;
      else if (unit === '"') quoted = false;
    } else if (unit === '"') quoted = true;
    else if (unit === '[' || unit === '{') {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (unit === ']' || unit === '}') depth -= 1;
  }
  return false;
}

/** True when the marks occur more than `most` times in total. */
function holdsMore(text: string, marks: readonly string[], most: number): boolean {
  let count = 0;
  for (const mark of marks) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}

/** The response body as JSON. It is parsed once for each exchange; a large one may be collected and parsed again. */
export function jsonBody(exchange: Exchange): JsonBody {
  const before = known.get(exchange)?.deref();
  if (before !== undefined) return before;
  const body = read(exchange);
  const isLarge = (exchange.response?.body.length ?? 0) > LARGE;
  known.set(exchange, isLarge ? new WeakRef(body) : { deref: () => body });
  return body;
}

/** True for a JSON object: not null, not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a JSON body; undefined when the body is not an object or did not arrive whole. */
export function membersOf(exchange: Exchange): Readonly<Record<string, unknown>> | undefined {
  const body = jsonBody(exchange);
  return body.ok && isObject(body.value) ? body.value : undefined;
}

/** The value of a JSON text; undefined when the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deeper values are hostile; all of them get the same text. */
const DEPTH = 64;

/** The text of a JSON value with the members of each object sorted by name. */
export function canonicalJson(value: unknown): string {
  return inOrder(value, 0, false);
}

/** Like `canonicalJson`, but with the items of each list sorted too, for lists that represent sets. */
export function canonicalSets(value: unknown): string {
  return inOrder(value, 0, true);
}

function inOrder(value: unknown, depth: number, listsAreSets: boolean): string {
  if (depth > DEPTH) return '"deep"';
  const textOf = (inner: unknown): string => inOrder(inner, depth + 1, listsAreSets);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => textOf(item ?? null));
    return `[${(listsAreSets ? items.toSorted() : items).join()}]`;
  }
  if (typeof value === 'bigint') return `{"integer":"${value}"}`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  const members = Object.keys(value)
    .toSorted()
    .filter((name) => value[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${textOf(value[name])}`);
  return `{${members.join()}}`;
}

/** `error.code` of a response with status 400 or above; `''` without one. */
export function envelopeCode(exchange: Exchange): string {
  if ((exchange.response?.status ?? 0) < 400) return '';
  const error = membersOf(exchange)?.['error'];
  const code = isObject(error) ? error['code'] : undefined;
  return typeof code === 'string' ? code : '';
}
