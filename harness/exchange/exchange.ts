/** The record of one request and its response, as on the wire, without secrets. */

import type { Contract } from '../../schemas/requirement.ts';

/** Header lines in their original order and case. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/**
 * How an exchange ended.
 * - `complete`: the whole response arrived, as framed by its length or chunks.
 * - `cut-short`: the peer closed the connection in an orderly way before the framed end of the response.
 * - `reset`: the peer reset the connection.
 * - `timeout`: the client's timeout passed.
 * - `aborted`: the client closed the connection on purpose.
 * - `unreachable`: no connection was established (refused, no such host, TLS).
 * - `malformed`: the response is not HTTP.
 * - `too-large`: the response exceeded the client's size limit, and the client stopped reading.
 * - `unread`: the client could not read on for want of memory or time, whatever the size of the response.
 */
export const endings = [
  'complete',
  'cut-short',
  'reset',
  'timeout',
  'aborted',
  'unreachable',
  'malformed',
  'too-large',
  'unread',
] as const;

export type Ending = (typeof endings)[number];

interface RecordedRequest {
  readonly method: string;
  /** Absolute URL as sent, with secrets replaced. */
  readonly url: string;
  /** Path relative to the target's base URL, without query, starting with `/`. */
  readonly path: string;
  /** Raw query string without the question mark; `''` without a query. */
  readonly query: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
  /** Name of the target-file key whose secret was the bearer credential, if any. */
  readonly credential: string | undefined;
}

/** A piece of a response body; `atMs` is its arrival in milliseconds after the start of the request. */
export interface ReceivedChunk {
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers: HeaderLines;
  /** Body after transfer decoding and before any content decoding. */
  readonly body: Uint8Array;
  readonly chunks: readonly ReceivedChunk[];
}

export interface Exchange {
  /** Unique in a run, for example `e42`. */
  readonly id: string;
  readonly contract: Contract;
  readonly target: string;
  readonly request: RecordedRequest;
  /** Undefined if no response head arrived. */
  readonly response: RecordedResponse | undefined;
  readonly ending: Ending;
  /** The transport's explanation if the ending is not `complete`, for people. */
  readonly cause: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds from the start to the response head; undefined without one. */
  readonly headMs: number | undefined;
  readonly durationMs: number;
  /** Number of earlier attempts at the same request that failed in transport or met a rate limit. */
  readonly retries: number;
}

/** When an exchange ended, in milliseconds since the epoch. */
export function endOf({ startedAt, durationMs }: Exchange): number {
  return startedAt + durationMs;
}

/** The trimmed values of every line with this name, in order of arrival. */
export function headerValues(lines: HeaderLines, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return lines.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value.trim());
}

/** The value of a header; several lines are joined by commas (RFC 9110 section 5.3). Undefined when absent. */
export function headerValue(lines: HeaderLines, name: string): string | undefined {
  const values = headerValues(lines, name);
  return values.length === 0 ? undefined : values.join(', ');
}

/** The media type in lower case without parameters; undefined without `Content-Type`. */
export function mediaType(lines: HeaderLines): string | undefined {
  return headerValue(lines, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

/** A sentence about how an exchange failed. */
export function transportProblem(exchange: Exchange): string {
  const { method, path } = exchange.request;
  return `${method} ${path} ended "${exchange.ending}" after ${Math.round(exchange.durationMs)} ms${
    exchange.cause === undefined ? '' : ` (${exchange.cause})`
  }`;
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a system error, such as ENOENT; otherwise the message. */
export function codeOrMessage(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
}

/** True for 127.0.0.0/8, `[::1]` and `localhost`. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname;
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}
