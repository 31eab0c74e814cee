/** A response as data, and how it is put on the wire. */

import type { ServerResponse } from 'node:http';

export type HeaderLine = readonly [name: string, value: string];

export interface Reply {
  readonly status: number;
  /** In the order in which they are sent; length and chunking are added when it is sent. */
  readonly headers: readonly HeaderLine[];
  /** Text goes out as UTF-8. */
  readonly body: string | Uint8Array;
}

/** What a server may vary on the wire without changing what it says. */
export interface Framing {
  readonly headerCase: 'canonical' | 'lower' | 'upper';
  /** Size of the pieces of a chunked body in bytes; undefined sends a length and one piece. */
  readonly chunkBytes: number | undefined;
}

export const plainFraming: Framing = { headerCase: 'canonical', chunkBytes: undefined };

/** A header name in the case that a server chose: `Retry-After`, `retry-after` or `RETRY-AFTER`. */
export function headerName(name: string, headerCase: Framing['headerCase']): string {
  if (headerCase === 'canonical') return name;
  return headerCase === 'lower' ? name.toLowerCase() : name.toUpperCase();
}

/** Value of the first header of that name, whatever its case. */
export function headerOf(reply: Reply, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return reply.headers.find(([candidate]) => candidate.toLowerCase() === wanted)?.[1];
}

/** The same reply with one header set (in place, or last) or, with undefined, removed. */
export function withHeader(reply: Reply, name: string, value: string | undefined): Reply {
  const wanted = name.toLowerCase();
  const place = reply.headers.findIndex(([candidate]) => candidate.toLowerCase() === wanted);
  const others = reply.headers.filter(([candidate]) => candidate.toLowerCase() !== wanted);
  if (value === undefined) return { ...reply, headers: others };
  const at = place === -1 ? others.length : place;
  return {
    ...reply,
    headers: [...others.slice(0, at), [name, value], ...others.slice(at)],
  };
}

/** Sends a whole reply. A client that went away meanwhile is no error. */
export function sendReply(
  response: ServerResponse,
  reply: Reply,
  framing: Framing = plainFraming,
): void {
  if (response.destroyed || response.headersSent) return;
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body, 'utf8') : reply.body;
  // Flat names and values keep order and case, which an object of headers would not.
  const lines = reply.headers.flatMap(([name, value]) => [
    headerName(name, framing.headerCase),
    value,
  ]);
  const bodiless = reply.status === 204 || reply.status === 304;
  if (!bodiless && framing.chunkBytes === undefined) {
    lines.push(headerName('Content-Length', framing.headerCase), String(body.byteLength));
  }
  response.writeHead(reply.status, lines);
  if (bodiless) {
    response.end();
    return;
  }
  const step = Math.max(1, framing.chunkBytes ?? body.byteLength);
  for (let from = 0; from < body.byteLength; from += step) {
    response.write(body.subarray(from, from + step));
  }
  response.end();
}
