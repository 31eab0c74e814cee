/** Ordinary HTTP traffic through undici: no redirects, no decompression, header lines as they came. */

import { Agent } from 'undici';
import type { Ending, HeaderLines, ReceivedChunk, RecordedResponse } from './exchange.ts';

export interface WireRequest {
  readonly method: string;
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  /** Path and query exactly as they shall be sent. */
  readonly path: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array | undefined;
  /** Milliseconds from the start until we give up. */
  readonly timeoutMs: number;
  /** Bytes of response body after which we stop reading. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with each piece of the body; returning `hang-up` closes the connection at once. */
  readonly onChunk?: ((piece: Uint8Array, totalBytes: number) => 'hang-up' | undefined) | undefined;
  /** Called when the head is there; returning `hang-up` closes the connection at once. */
  readonly onHead?: ((status: number) => 'hang-up' | undefined) | undefined;
}

export interface WireResult {
  readonly response: RecordedResponse | undefined;
  readonly ending: Ending;
  readonly cause: string | undefined;
  readonly startedAt: number;
  readonly headMs: number | undefined;
  readonly durationMs: number;
}

/** Sends one request and tells what came of it; never throws for what the network or the peer does. */
export type Transport = (request: WireRequest) => Promise<WireResult>;

const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EACCES',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'EPROTO',
]);

/** Names how an exchange ended from the error that ended it. */
export function endingOf(error: unknown): { ending: Ending; cause: string } {
  const code = errorCode(error);
  const message = plainMessage(error instanceof Error ? error.message : String(error));
  const cause = code === '' ? message : `${code}: ${message}`;
  if (unreachableCodes.has(code) || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) {
    return { ending: 'unreachable', cause };
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') return { ending: 'reset', cause };
  if (code === 'ERR_ASSERTION')
    return { ending: 'malformed', cause: 'it is no HTTP that can be read' };
  if (isParseError(error) || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW')
    return { ending: 'malformed', cause };
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return { ending: 'timeout', cause };
  return { ending: 'cut-short', cause };
}

/** OpenSSL wraps its one telling part in addresses and file names: `…:error:0A00010B:SSL routines:where:what:file:line:`. */
function plainMessage(message: string): string {
  return /:error:[\dA-F]+:[^:]*:[^:]*:([^:]+):/u.exec(message)?.[1] ?? message.trim();
}

/** Undici's parse errors do not always carry a code. */
function isParseError(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError';
}

function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? errorCode(error.cause) : '';
}

function pairs(flat: unknown): HeaderLines {
  const raw = Array.isArray(flat) ? flat : [];
  const lines: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    lines.push([latin1(raw[at]), latin1(raw[at + 1])]);
  }
  return lines;
}

function latin1(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}

class HungUp extends Error {}
class TooLarge extends Error {}

/** A transport with its own connection pool; close it when the session ends. */
export function createTransport(): { readonly send: Transport; close(): Promise<void> } {
  // `connections` stays unset: with a limit, undici leaks a slot for every request that it refuses to build.
  const agent = new Agent({ allowH2: false, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
  return {
    send: (request) => sendThrough(agent, request),
    close: () => agent.destroy(),
  };
}

async function sendThrough(agent: Agent, request: WireRequest): Promise<WireResult> {
  const startedAt = Date.now();
  const from = performance.now();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort('timeout'), request.timeoutMs);
  const outside = (): void => abort.abort('aborted');
  request.signal?.addEventListener('abort', outside, { once: true });
  if (request.signal?.aborted === true) outside();

  const chunks: ReceivedChunk[] = [];
  let head: { status: number; headers: HeaderLines } | undefined;
  let headMs: number | undefined;
  let total = 0;
  const result = (ending: Ending, cause?: string): WireResult => ({
    response: head && { ...head, ...joined(chunks) },
    ending,
    cause,
    startedAt,
    headMs,
    durationMs: performance.now() - from,
  });

  try {
    const answer = await agent.request({
      origin: request.origin,
      path: request.path,
      method: request.method,
      headers: request.headers.flat(),
      body: request.body ?? null,
      signal: abort.signal,
      responseHeaders: 'raw',
    });
    headMs = performance.now() - from;
    head = { status: answer.statusCode, headers: pairs(answer.headers) };
    if (request.onHead?.(head.status) === 'hang-up') throw new HungUp();
    for await (const piece of answer.body) {
      total += piece.length;
      chunks.push({ atMs: performance.now() - from, bytes: piece });
      if (request.onChunk?.(piece, total) === 'hang-up') throw new HungUp();
      if (total > request.maxBytes) throw new TooLarge();
    }
    return result('complete');
  } catch (error) {
    if (error instanceof HungUp) return ended('aborted', 'we hung up');
    if (error instanceof TooLarge)
      return ended('too-large', `the response passed ${request.maxBytes} bytes`);
    if (abort.signal.aborted) {
      return abort.signal.reason === 'timeout'
        ? result('timeout', `no end within ${request.timeoutMs} ms`)
        : result('aborted', 'the run was ended');
    }
    const { ending, cause } = endingOf(error);
    return result(ending, cause);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', outside);
  }

  function ended(ending: Ending, cause: string): WireResult {
    abort.abort('ended');
    return result(ending, cause);
  }
}

/** The body in one piece, and the chunks as views of it: nothing is held twice. */
function joined(chunks: readonly ReceivedChunk[]): Pick<RecordedResponse, 'body' | 'chunks'> {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return { body: first.bytes, chunks };
  const body = Buffer.concat(chunks.map((chunk) => chunk.bytes));
  let at = 0;
  const views = chunks.map(({ atMs, bytes }) => {
    const from = at;
    at += bytes.length;
    return { atMs, bytes: body.subarray(from, at) };
  });
  return { body, chunks: views };
}
