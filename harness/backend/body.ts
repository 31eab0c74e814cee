/** Reads request bodies and the marker with which a request names its script. */

import type { IncomingMessage } from 'node:http';

/** A body, perhaps incomplete. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  /** False if the client left before its end. */
  readonly whole: boolean;
  /** Number of all received bytes, including those that are not kept. */
  readonly length: number;
}

/** Reads a body to its end and keeps at most `limit` bytes. Never rejects, not even if the body ends early. */
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

const opening = '[[plumbline:';
const closing = ']]';
const longestId = 64;

/** The marker of a script, for any place in the text of a request. */
export function markerOf(id: string): string {
  return `${opening}${id}${closing}`;
}

/** The first known script in a raw body, which agents may have rewritten or which may be malformed JSON. */
export function findScript(body: Buffer, isKnown: (id: string) => boolean): string | null {
  let from = body.indexOf(opening);
  while (from !== -1) {
    const start = from + opening.length;
    const rest = body.toString('latin1', start, start + longestId + closing.length);
    const end = rest.indexOf(closing);
    if (end !== -1 && isKnown(rest.slice(0, end))) return rest.slice(0, end);
    from = body.indexOf(opening, start);
  }
  return null;
}
