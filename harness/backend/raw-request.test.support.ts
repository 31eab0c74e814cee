/** One request over a plain socket, for tests of the exact response bytes and the end of the connection. */

import { connect } from 'node:net';

export interface RawAnswer {
  readonly bytes: Buffer;
  /** The head; `framed` is the body with its framing. */
  readonly head: string;
  readonly framed: Buffer;
  /** `end` for an orderly close, otherwise the error code. */
  readonly ended: string;
}

/** Posts JSON and reads until the connection ends; `Connection: close` makes the server end it after a response. */
export async function rawPost(base: string, path: string, json: unknown): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  const body = JSON.stringify(json);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const done = (ended: string) => {
      const bytes = Buffer.concat(chunks);
      const end = bytes.indexOf('\r\n\r\n');
      const split = end === -1 ? bytes.length : end + 4;
      const head = bytes.toString('latin1', 0, split);
      resolve({ bytes, head, framed: bytes.subarray(split), ended });
    };
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    socket.on('end', () => done('end'));
    socket.on('close', () => done('end'));
  });
}

/** The chunks of a chunked body, and whether the last chunk arrived. */
export function chunksOf(framed: Buffer): { readonly chunks: Buffer[]; readonly whole: boolean } {
  const chunks: Buffer[] = [];
  let from = 0;
  for (;;) {
    const lineEnd = framed.indexOf('\r\n', from);
    if (lineEnd === -1) return { chunks, whole: false };
    const size = Number.parseInt(framed.toString('latin1', from, lineEnd), 16);
    if (size === 0) return { chunks, whole: true };
    chunks.push(framed.subarray(lineEnd + 2, lineEnd + 2 + size));
    from = lineEnd + 2 + size + 2;
  }
}
