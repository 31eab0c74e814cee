/** Reading request bodies. */

import type { IncomingMessage } from 'node:http';

/** The body passed the limit; what was left of it was not kept. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor(limit: number) {
    super(`The request body has more than ${limit} bytes.`);
  }
}

/**
 * The whole body of a request, empty when there is none.
 * @throws {BodyTooLarge} as soon as it has more than `limit` bytes; the rest is left unread.
 */
export async function readBody(request: IncomingMessage, limit = Infinity): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
    length += bytes.byteLength;
    if (length > limit) throw new BodyTooLarge(limit);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces, length);
}
