/**
 * The exchanges that findings and samples of a long observation cite: few, small, and made readable only at its
 * end, when every key that must be taken out of them is known.
 */

import type { ReportedExchange } from '../../schemas/outcome.ts';
import type { Exchange, ReceivedChunk } from '../exchange/exchange.ts';
import { reported } from '../exchange/redaction.ts';
import type { Credentials } from './credentials.ts';

/** Bytes of a body that are held. More than a report keeps, so that no key is cut in half before it is taken out. */
const BODY_BYTES = 48 * 1024;
/** Bytes that are held in all; further exchanges are cited without their bodies. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Kept {
  readonly exchange: Exchange;
  readonly operation: string | undefined;
  /** Sizes of the whole bodies. */
  readonly sent: number;
  readonly received: number;
}

export class KeptExchanges {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** Holds an exchange, and gives the name to cite it by. */
  keep(exchange: Exchange, operation: string | undefined): string {
    if (this.#kept.has(exchange.id)) return exchange.id;
    const small = shortened(exchange, this.#bytes < MAX_BYTES ? BODY_BYTES : 0);
    this.#bytes += small.request.body.length + (small.response?.body.length ?? 0);
    this.#kept.set(exchange.id, {
      exchange: small,
      operation,
      sent: exchange.request.body.length,
      received: exchange.response?.body.length ?? 0,
    });
    return exchange.id;
  }

  /** All of them as a report keeps them. */
  reported(credentials: Credentials): readonly ReportedExchange[] {
    return [...this.#kept.values()].map(({ exchange, operation, sent, received }) => {
      const shown = credentials.overflows ? shortened(exchange, 0) : exchange;
      const { request, response, ...rest } = reported(shown, operation, credentials.redactor);
      return {
        ...rest,
        request: { ...request, body: sized(request.body, sent) },
        response: response && { ...response, body: sized(response.body, received) },
      };
    });
  }
}

/** The same with at most so many bytes of each body, in memory of its own. */
export function shortened(exchange: Exchange, bytes: number): Exchange {
  const { request, response } = exchange;
  return {
    ...exchange,
    request: { ...request, body: request.body.slice(0, bytes) },
    response: response && { ...response, ...shortBody(response.body, response.chunks, bytes) },
  };
}

function shortBody(
  whole: Uint8Array,
  chunks: readonly ReceivedChunk[],
  bytes: number,
): { readonly body: Uint8Array; readonly chunks: readonly ReceivedChunk[] } {
  const body = whole.slice(0, bytes);
  const short: ReceivedChunk[] = [];
  let at = 0;
  for (const { atMs, bytes: piece } of chunks) {
    if (at >= body.length) break;
    short.push({ atMs, bytes: body.subarray(at, at + piece.length) });
    at += piece.length;
  }
  return { body, chunks: short };
}

function sized<T extends { readonly bytes: number; readonly cut?: true }>(
  body: T,
  bytes: number,
): T {
  return body.bytes === bytes ? body : { ...body, bytes, cut: true };
}
