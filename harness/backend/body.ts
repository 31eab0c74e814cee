/** Request bodies, and the marker by which a request names its script. */

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

const opening = '[[plumbline:';
const closing = ']]';
const longestId = 64;

/** The mark of a script, to be put anywhere in the text of a request. */
export function markerOf(id: string): string {
  return `${opening}${id}${closing}`;
}

/**
 * The first script named in a raw body that `isKnown`.
 * It looks at bytes, not at JSON: agents may rewrite the body, and a malformed one has a script too. No character of a mark is escaped in JSON.
 */
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
