/** An exchange as it crosses to another thread: each body moves in one piece and is copied by nobody. */

import type { Exchange, RecordedResponse } from '../exchange/exchange.ts';

export interface PackedExchange extends Omit<Exchange, 'response'> {
  readonly response:
    | (Omit<RecordedResponse, 'chunks'> & {
        /** Arrival and length of each piece of the body. */
        readonly pieces: readonly (readonly [atMs: number, bytes: number])[];
      })
    | undefined;
}

/** The exchange is of no use to the caller afterwards: its bodies have moved. */
export function packed(exchange: Exchange): {
  readonly message: PackedExchange;
  readonly transfer: ArrayBuffer[];
  readonly bytes: number;
} {
  const { response, ...rest } = exchange;
  const body = movable(exchange.request.body);
  const answer = movable(response?.body ?? new Uint8Array());
  return {
    message: {
      ...rest,
      request: { ...exchange.request, body: new Uint8Array(body) },
      response: response && {
        status: response.status,
        headers: response.headers,
        body: new Uint8Array(answer),
        pieces: response.chunks.map(({ atMs, bytes }) => [atMs, bytes.length] as const),
      },
    },
    transfer: response === undefined ? [body] : [body, answer],
    bytes: body.byteLength + answer.byteLength,
  };
}

/** The exchange as it was. */
export function unpacked({ response, ...rest }: PackedExchange): Exchange {
  if (response === undefined) return { ...rest, response };
  const { pieces, ...answer } = response;
  let at = 0;
  const chunks = pieces.map(([atMs, length]) => {
    const from = at;
    at += length;
    return { atMs, bytes: answer.body.subarray(from, at) };
  });
  return { ...rest, response: { ...answer, chunks } };
}

/** The memory of a body when it holds nothing else; a copy otherwise. */
function movable(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length
    ? buffer
    : new Uint8Array(bytes).buffer;
}
