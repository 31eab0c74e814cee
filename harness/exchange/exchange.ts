/** The record of one request and what came back, as it was on the wire, without secrets. */

import type { Contract } from '../../schemas/requirement.ts';

/** Header lines in the order and case in which they travelled. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/**
 * How an exchange ended.
 * - `complete`: the response arrived whole, as framed by its own length or chunks.
 * - `cut-short`: the peer closed in an orderly way before the framed end of the response.
 * - `reset`: the connection was torn down by the peer.
 * - `timeout`: we waited as long as we may.
 * - `aborted`: we hung up on purpose.
 * - `unreachable`: no connection came about (refused, no such host, TLS).
 * - `malformed`: what came back was not HTTP.
 * - `too-large`: the response passed our size limit and we stopped reading.
 */
export type Ending =
  | 'complete'
  | 'cut-short'
  | 'reset'
  | 'timeout'
  | 'aborted'
  | 'unreachable'
  | 'malformed'
  | 'too-large';

export interface RecordedRequest {
  readonly method: string;
  /** Absolute URL as sent, secrets replaced. */
  readonly url: string;
  /** Path relative to the target's base URL, without query, starting with `/`. */
  readonly path: string;
  /** Raw query string without the question mark, `''` when there is none. */
  readonly query: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
  /** Name of the target-file key whose secret was sent as the bearer credential, if one was. */
  readonly credential: string | undefined;
}

/** A piece of a response body, with its arrival in milliseconds after the request was started. */
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
  /** Absent when not even a status line arrived. */
  readonly response: RecordedResponse | undefined;
  readonly ending: Ending;
  /** What the transport said when the ending is not `complete`, for people. */
  readonly cause: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds from the start to the response head; undefined without one. */
  readonly headMs: number | undefined;
  /** Milliseconds from the start to the end. */
  readonly durationMs: number;
  /** How many earlier attempts at the same request met transport trouble or a rate limit. */
  readonly retries: number;
}

/** Values of every line with this name, in order of arrival, surrounding blanks removed. */
export function headerValues(lines: HeaderLines, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return lines.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value.trim());
}

/** The value of a header, several lines joined by a comma as RFC 9110 section 5.3 allows; undefined when absent. */
export function headerValue(lines: HeaderLines, name: string): string | undefined {
  const values = headerValues(lines, name);
  return values.length === 0 ? undefined : values.join(', ');
}

/** The media type of a body in lower case without parameters; undefined when no `Content-Type` was sent. */
export function mediaType(lines: HeaderLines): string | undefined {
  return headerValue(lines, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

/** What went wrong on the wire, in a sentence. */
export function transportProblem(exchange: Exchange): string {
  const { method, path } = exchange.request;
  return `${method} ${path} ended "${exchange.ending}" after ${Math.round(exchange.durationMs)} ms${
    exchange.cause === undefined ? '' : ` (${exchange.cause})`
  }`;
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the system, such as ENOENT, or else what it says. */
export function codeOrMessage(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
}

/** True for 127.0.0.0/8, `[::1]` and `localhost`. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname;
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}
