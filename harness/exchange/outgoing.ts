/** A request before it is sent, and its encoding as text and bytes. */

import { randomUUID } from 'node:crypto';
import { Secret } from '../target/keys.ts';
import type { HeaderLines } from './exchange.ts';
import type { WireRequest } from './transport.ts';

/** A header value, or parts of one; a secret in it is sent but never recorded. */
export type HeaderContent = string | Secret | readonly (string | Secret)[];

export type QueryValue = string | number | boolean | readonly (string | number)[];

export interface Outgoing {
  readonly method: string;
  /** Relative to the base URL, starting with `/`, already escaped. */
  readonly path: string;
  /** Members are escaped; a string is sent unchanged and has no question mark. */
  readonly query?: Readonly<Record<string, QueryValue | undefined>> | string | undefined;
  readonly headers?: readonly (readonly [name: string, value: HeaderContent])[] | undefined;
  /** Name of the key for the bearer credential; `null` sends none. */
  readonly as: string | null;
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent unchanged, instead of `json`. */
  readonly body?: string | Uint8Array | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onHead?: WireRequest['onHead'];
  readonly onChunk?: WireRequest['onChunk'];
  /** Ignores the concurrency limit, for tests of concurrency with bounds of their own. */
  readonly unbounded?: boolean | undefined;
  /** Overtakes waiting requests, for example to exhaust a bucket that refills meanwhile. */
  readonly urgent?: boolean | undefined;
  /** False returns the first response, whatever it is (default true). */
  readonly repeat?: boolean | undefined;
  /** Sends no `traceparent`: some servers start a trace only for such a request. */
  readonly untraced?: boolean | undefined;
}

function parts(content: HeaderContent): readonly (string | Secret)[] {
  return typeof content === 'string' || content instanceof Secret ? [content] : content;
}

/** Header lines as they are sent, secrets included. */
export function revealed(headers: readonly (readonly [string, HeaderContent])[]): HeaderLines {
  return headers.map(([name, content]) => [
    name,
    parts(content)
      .map((part) => (typeof part === 'string' ? part : part.reveal()))
      .join(''),
  ]);
}

/** Header lines as they are recorded: each secret is replaced by its name. */
export function hidden(headers: readonly (readonly [string, HeaderContent])[]): HeaderLines {
  return headers.map(([name, content]) => [name, parts(content).map(String).join('')]);
}

/** The bytes of the body; undefined without one. */
export function bodyBytes(outgoing: Outgoing): Uint8Array | undefined {
  if (outgoing.body !== undefined) {
    return typeof outgoing.body === 'string' ? Buffer.from(outgoing.body) : outgoing.body;
  }
  return outgoing.json === undefined ? undefined : Buffer.from(JSON.stringify(outgoing.json));
}

/** The default `Content-Type` header if the request has a body and does not set it. */
export function contentType(outgoing: Outgoing): (readonly [string, string])[] {
  const given = outgoing.headers?.some(([name]) => name.toLowerCase() === 'content-type') === true;
  const hasBody = outgoing.body !== undefined || outgoing.json !== undefined;
  return hasBody && !given ? [['Content-Type', 'application/json']] : [];
}

/** Text escaped for a URL. A lone surrogate, which no URL can carry, becomes a replacement character. */
export function escaped(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** A query as it is sent: escaped, with a list as repeated parameters and without undefined members. */
export function queryText(query: Outgoing['query']): string {
  if (query === undefined) return '';
  if (typeof query === 'string') return query;
  return Object.entries(query)
    .flatMap(([name, value]) =>
      value === undefined
        ? []
        : (typeof value === 'object' ? value : [value]).map(
            (one) => `${escaped(name)}=${escaped(String(one))}`,
          ),
    )
    .join('&');
}

/** A new trace context for one request, with the sampled flag (W3C Trace Context, version 00). */
export function traceparent(): string {
  const hex = (): string => randomUUID().replaceAll('-', '');
  return `00-${hex()}-${hex().slice(-16)}-01`;
}
