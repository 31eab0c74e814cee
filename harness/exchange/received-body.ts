/** Collects a message body as it arrives, and bounds its bytes, its pieces, and the bytes of all held bodies. */

import type { ReceivedChunk } from './exchange.ts';

/** The most pieces that are recorded separately; later ones are joined to the last. */
const MAX_PIECES = 2_000;
/** The most pieces that are read: more would cost more than their bytes do. */
const MAX_TAKEN = 100_000;
/** Bytes that arrive within this many milliseconds form one piece: the clock cannot separate them. */
const ONE_PIECE_MS = 1;
/** Bytes that are kept of an incomplete body: no check reads further. */
const KEPT_OF_PART = 64 * 1024;
/** A body of more bytes is large; sound targets rarely send one. */
const LARGE = 256 * 1024;
/** The most bytes of large bodies that are held at once; beyond it, no further one is read to its end. */
const MAX_HELD = 64 * 1024 * 1024;

/** Bytes of large bodies that are still referenced. */
let held = 0;
const forgotten = new FinalizationRegistry((share: { readonly bytes: number }) => {
  held -= share.bytes;
});

/** The received body, and its pieces as views of it. */
export interface Received {
  readonly body: Uint8Array;
  readonly chunks: readonly ReceivedChunk[];
}

export class ReceivedBody {
  readonly #limit: number;
  /** Where each piece ends, and when its first bytes arrived. */
  readonly #pieces: { readonly atMs: number; end: number }[] = [];
  /** Its share of `held`, returned once neither this object nor the taken body is referenced any more. */
  readonly #share = { bytes: 0 };
  #buffer: Uint8Array = new Uint8Array();
  #kept = 0;
  #taken = 0;
  #total = 0;

  /** Bytes beyond `limit` are not kept. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds the next bytes; `atMs` is their arrival in milliseconds after the start of the exchange. */
  add(bytes: Uint8Array, atMs: number): void {
    this.#total += bytes.length;
    this.#taken += 1;
    const fitting = bytes.subarray(0, Math.max(0, this.#limit - this.#kept));
    if (fitting.length === 0) return;
    this.#append(fitting);
    const last = this.#pieces.at(-1);
    const isOfLast =
      last !== undefined && (atMs - last.atMs < ONE_PIECE_MS || this.#pieces.length >= MAX_PIECES);
    if (isOfLast) last.end = this.#kept;
    else this.#pieces.push({ atMs, end: this.#kept });
  }

  /** True when some bytes were not kept. */
  get isCut(): boolean {
    return this.#total > this.#kept;
  }

  /** Number of received bytes, kept or not. */
  get total(): number {
    return this.#total;
  }

  /** Why reading must stop; undefined while the body is within bounds. */
  get excess(): string | undefined {
    if (this.isCut) return `the response passed ${this.#limit} bytes`;
    if (this.#taken > MAX_TAKEN) return `the response came in more than ${MAX_TAKEN} pieces`;
    return this.#kept > LARGE && held > MAX_HELD
      ? `the response passed ${LARGE} bytes, after others so large that ${MAX_HELD} bytes are held`
      : undefined;
  }

  /** The kept bytes, or the beginning of an incomplete body. Must be called only once. */
  taken(isWhole = true): Received {
    const size = isWhole ? this.#kept : Math.min(this.#kept, KEPT_OF_PART);
    // A small body is copied, so that it does not retain a much larger buffer.
    const fits = this.#buffer.buffer.byteLength <= 2 * size;
    const body = fits ? this.#buffer.subarray(0, size) : this.#buffer.slice(0, size);
    this.#count(size);
    forgotten.unregister(this);
    if (this.#share.bytes > 0) forgotten.register(body, this.#share);
    const ends = [0, ...this.#pieces.map(({ end }) => Math.min(end, size))];
    const chunks = this.#pieces
      .map(({ atMs }, at) => ({ atMs, bytes: body.subarray(ends[at], ends[at + 1]) }))
      .filter(({ bytes }) => bytes.length > 0);
    return { body, chunks };
  }

  #append(bytes: Uint8Array): void {
    const before = this.#kept;
    this.#kept += bytes.length;
    this.#count(this.#kept);
    if (before === 0) {
      this.#buffer = bytes;
      return;
    }
    if (this.#kept > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(this.#kept, Math.min(2 * before, this.#limit)));
      larger.set(this.#buffer.subarray(0, before));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, before);
  }

  /** Sets the bytes that this body counts as held, once it is large. */
  #count(bytes: number): void {
    const { bytes: before } = this.#share;
    if (before === 0 && bytes <= LARGE) return;
    if (before === 0) forgotten.register(this, this.#share, this);
    held += bytes - before;
    this.#share.bytes = bytes;
  }
}
