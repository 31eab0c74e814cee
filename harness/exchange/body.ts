/** Reading response bodies: content decoding within bounds, UTF-8, JSON. Each body is read once. */

import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Exchange } from './exchange.ts';
import { parseExactly } from './exact-json.ts';
import { headerValue } from './headers.ts';

/** A body as JSON, or why it is not. */
export type JsonBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** A compressed body may not grow beyond this, in bytes. */
const DECODED_LIMIT = 16 * 1024 * 1024;
/** Levels of nesting beyond which a body is not read: walking it would exhaust the stack. */
const DEEPEST = 500;

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gunzipSync(bytes, { maxOutputLength: DECODED_LIMIT }),
  'x-gzip': (bytes) => gunzipSync(bytes, { maxOutputLength: DECODED_LIMIT }),
  deflate: (bytes) => inflateSync(bytes, { maxOutputLength: DECODED_LIMIT }),
  br: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: DECODED_LIMIT }),
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
const known = new WeakMap<Exchange, JsonBody>();

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

/** False for a response body under a coding that is not known here, or that grows beyond what is held. */
export function isDecodable(exchange: Exchange): boolean {
  try {
    decoded(exchange);
    return true;
  } catch {
    return false;
  }
}

/** The response body as text. Bytes that are not UTF-8 become replacement characters. */
export function bodyText(exchange: Exchange): string {
  try {
    return Buffer.from(decoded(exchange)).toString('utf8');
  } catch {
    return Buffer.from(exchange.response?.body ?? []).toString('utf8');
  }
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
    return { ok: false, problem: `the body is nested deeper than ${DEEPEST} levels` };
  }
  try {
    return { ok: true, value: parseExactly(text) };
  } catch (error) {
    return {
      ok: false,
      problem: `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** Counts brackets outside of strings. */
function isTooDeep(text: string): boolean {
  // Few bodies hold as many brackets at all, and counting those costs next to nothing.
  if (!holdsMore(text, ['[', '{'], DEEPEST)) return false;
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
      if (depth > DEEPEST) return true;
    } else if (unit === ']' || unit === '}') depth -= 1;
  }
  return false;
}

/** True when the text holds any of the marks more than `most` times, all taken together. */
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

/** The response body as JSON; parsed at most once for each exchange. */
export function jsonBody(exchange: Exchange): JsonBody {
  const before = known.get(exchange);
  if (before !== undefined) return before;
  const body = read(exchange);
  known.set(exchange, body);
  return body;
}

/** True for a JSON object: not null, not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
