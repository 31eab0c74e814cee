/** Reading request bodies. */

import type { IncomingMessage } from 'node:http';

/** A body as far as it came. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  /** False if the client went before its end. */
  readonly whole: boolean;
  /** Everything that came, also what was too much to keep. */
  readonly length: number;
}

/** Reads a body to its end; keeps `limit` bytes and lets the rest go by. Never rejects: a body may end early. */
export async function receiveBody(request: IncomingMessage, limit: number): Promise<ReceivedBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      if (length < limit) chunks.push(chunk.subarray(0, limit - length));
      length += chunk.length;
    });
    const done = () => resolve({ bytes: Buffer.concat(chunks), whole: request.complete, length });
    request.on('end', done);
    request.on('close', done);
    request.on('error', done);
  });
}
