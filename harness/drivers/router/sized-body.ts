/** Request bodies of an exact size, which cost no tokens: JSON allows blanks after a value. */

import { inferenceBody, type InferenceOptions, type InferenceRoute } from './api.ts';

/** The smallest body of a route, filled up with blanks to `bytes` bytes. Throws a `RangeError` when it is longer. */
export function sizedBody(
  bytes: number,
  route: InferenceRoute,
  model: string,
  options: InferenceOptions = {},
): Uint8Array {
  const json = Buffer.from(JSON.stringify(inferenceBody(route, model, options)));
  if (json.length > bytes) {
    throw new RangeError(`a ${route} request has ${json.length} bytes at least, not ${bytes}`);
  }
  return Buffer.concat([json, Buffer.alloc(bytes - json.length, ' ')]);
}

/** The same with a text of two-byte characters in place of most blanks: it has about half as many characters as bytes. */
export function wideBody(
  bytes: number,
  route: InferenceRoute,
  model: string,
  options: InferenceOptions = {},
): Uint8Array {
  const bare = Buffer.byteLength(
    JSON.stringify(inferenceBody(route, model, { ...options, text: '' })),
  );
  const text = 'é'.repeat(Math.max(1, Math.floor((bytes - bare) / 2)));
  return sizedBody(bytes, route, model, { ...options, text });
}

const CHUNK_BYTES = 16_384;

/** A body as the chunks of a chunked transfer (RFC 9112 section 7.1), to be written one after the other. */
export function chunked(body: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const chunk = body.subarray(at, at + CHUNK_BYTES);
    const size = Buffer.from(`${chunk.length.toString(16)}\r\n`);
    pieces.push(Buffer.concat([size, chunk, Buffer.from('\r\n')]));
  }
  return [...pieces, Buffer.from('0\r\n\r\n')];
}

/** A body cut into pieces that are written one after the other. */
export function inPieces(body: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(body.length / CHUNK_BYTES) }, (_, index) =>
    body.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );
}
