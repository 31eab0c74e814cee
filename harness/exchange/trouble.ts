/** Trouble on the wire, in words. */

import type { Exchange } from './exchange.ts';

/** What went wrong on the wire, in a sentence. */
export function trouble(exchange: Exchange): string {
  const { method, path } = exchange.request;
  return `${method} ${path} ended "${exchange.ending}" after ${Math.round(exchange.durationMs)} ms${
    exchange.cause === undefined ? '' : ` (${exchange.cause})`
  }`;
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
