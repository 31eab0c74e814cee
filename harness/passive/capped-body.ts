/** A body as it passes: counted whole, kept up to a limit. */

import type { ReceivedChunk } from '../exchange/exchange.ts';

/** Pieces that are told apart; what comes after them is kept as part of the last one. */
const MAX_PIECES = 2_000;

export class CappedBody {
  readonly #limit: number;
  readonly #pieces: ReceivedChunk[] = [];
  #kept = 0;
  #total = 0;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes the next bytes; `atMs` is when they came, in milliseconds after the exchange began. */
  add(bytes: Uint8Array, atMs: number): void {
    this.#total += bytes.length;
    const kept = bytes.subarray(0, Math.max(0, this.#limit - this.#kept));
    if (kept.length === 0) return;
    this.#kept += kept.length;
    this.#pieces.push({ atMs, bytes: kept });
  }

  /** True when something of it was not kept. */
  get isCut(): boolean {
    return this.#total > this.#kept;
  }

  /** Bytes that are held. */
  get held(): number {
    return this.#kept;
  }

  /** What was kept, in memory of its own, and its pieces as views of it. */
  taken(): { readonly body: Uint8Array; readonly chunks: readonly ReceivedChunk[] } {
    const body = new Uint8Array(this.#kept);
    const chunks: ReceivedChunk[] = [];
    let at = 0;
    let last = 0;
    for (const [index, { atMs, bytes }] of this.#pieces.entries()) {
      body.set(bytes, at);
      at += bytes.length;
      if (index >= MAX_PIECES && index < this.#pieces.length - 1) continue;
      chunks.push({ atMs, bytes: body.subarray(last, at) });
      last = at;
    }
    return { body, chunks };
  }
}
