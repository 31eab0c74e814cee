/** The body of a message as it arrives, within bounds: bytes of one, pieces of one, and bytes of all that the process holds. */

import type { ReceivedChunk } from './exchange.ts';

/** Pieces that are told apart; what comes after them is kept as part of the last one. */
const MAX_PIECES = 2_000;
/** Pieces after which a body is not read on: so many cost more to read than all their bytes. */
const MAX_TAKEN = 100_000;
/** Milliseconds within which bytes are of one piece: no clock of ours tells them apart. */
const ONE_PIECE_MS = 1;
/** Bytes of a body that did not arrive whole: nobody reads further. */
const KEPT_OF_PART = 64 * 1024;
/** Bytes beyond which a body is large: sound targets send next to none of them. */
const LARGE = 256 * 1024;
/** Bytes of large bodies that are held at once; beyond it, no further one is read to its end. */
const MAX_HELD = 64 * 1024 * 1024;

/** Bytes of the large bodies that somebody still holds. */
let held = 0;
const forgotten = new FinalizationRegistry((share: { readonly bytes: number }) => {
  held -= share.bytes;
});

/** What arrived of a body, and the pieces in which it came, as views of it. */
export interface Received {
  readonly body: Uint8Array;
  readonly chunks: readonly ReceivedChunk[];
}

export class ReceivedBody {
  readonly #limit: number;
  /** Where each piece ends, and when its first bytes came. */
  readonly #pieces: { readonly atMs: number; end: number }[] = [];
  /** What of it counts as held; given back when neither this nor the body that is taken is in use any more. */
  readonly #share = { bytes: 0 };
  #buffer: Uint8Array = new Uint8Array();
  #kept = 0;
  #taken = 0;
  #total = 0;

  /** `limit` in bytes: what comes after them is not kept. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes the next bytes; `atMs` is when they came, in milliseconds after the exchange began. */
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

  /** True when something of it was not kept. */
  get isCut(): boolean {
    return this.#total > this.#kept;
  }

  /** Bytes that came, kept or not. */
  get total(): number {
    return this.#total;
  }

  /** Bytes that are held. */
  get held(): number {
    return this.#kept;
  }

  /** Why no more of it is to be read; undefined as long as it fits. */
  get excess(): string | undefined {
    if (this.isCut) return `the response passed ${this.#limit} bytes`;
    if (this.#taken > MAX_TAKEN) return `the response came in more than ${MAX_TAKEN} pieces`;
    return this.#kept > LARGE && held > MAX_HELD
      ? `the response passed ${LARGE} bytes, after others so large that ${MAX_HELD} bytes are held`
      : undefined;
  }

  /** What was kept; of a body that did not arrive whole, its beginning. To be asked for once. */
  taken(isWhole = true): Received {
    const size = isWhole ? this.#kept : Math.min(this.#kept, KEPT_OF_PART);
    // A few bytes do not keep the much larger memory in which they came.
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

  /** Counts so many bytes as held, once the body is large. */
  #count(bytes: number): void {
    const { bytes: before } = this.#share;
    if (before === 0 && bytes <= LARGE) return;
    if (before === 0) forgotten.register(this, this.#share, this);
    held += bytes - before;
    this.#share.bytes = bytes;
  }
}
