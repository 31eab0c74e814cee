/** The hits that are kept: the newest ones, within bounds of number and memory. */

import type { Hit, HitEnd } from './control.ts';

/** A hit while it is being served. Only the log and the registry change it. */
export type HitRecord = {
  -readonly [Member in keyof Hit]: Hit[Member];
};

export interface HitLimits {
  /** Hits kept in all. */
  readonly hits: number;
  /** Bytes of request bodies kept in all; the oldest are dropped first, and one body never takes more than a quarter. */
  readonly bodyBytes: number;
}

export class HitLog {
  readonly #limits: HitLimits;
  readonly #records = new Set<HitRecord>();
  /** The records that still have a body, oldest first. */
  readonly #bodies = new Set<HitRecord>();
  #bodyBytes = 0;
  readonly #onDropped: (record: HitRecord) => void;

  /** `onDropped` is told of each hit that makes room for a newer one. */
  constructor(limits: HitLimits, onDropped: (record: HitRecord) => void) {
    this.#limits = limits;
    this.#onDropped = onDropped;
  }

  /** All that are kept, oldest first. */
  get records(): Iterable<HitRecord> {
    return this.#records;
  }

  add(record: HitRecord): void {
    record.body = record.body.subarray(0, Math.floor(this.#limits.bodyBytes / 4));
    this.#records.add(record);
    this.#bodies.add(record);
    this.#bodyBytes += record.body.length;
    for (const oldest of this.#bodies) {
      if (this.#bodyBytes <= this.#limits.bodyBytes) break;
      this.#dropBody(oldest);
    }
    for (const oldest of this.#records) {
      if (this.#records.size <= this.#limits.hits) break;
      this.remove(oldest);
      this.#onDropped(oldest);
    }
  }

  remove(record: HitRecord): void {
    if (this.#records.delete(record)) this.#dropBody(record);
  }

  #dropBody(record: HitRecord): void {
    if (!this.#bodies.delete(record)) return;
    this.#bodyBytes -= record.body.length;
    record.body = new Uint8Array();
  }
}

/** A hit as it is now: later changes do not show in it. */
export function snapshot(record: HitRecord): Hit {
  return { ...record };
}

/** Marks the end of a hit; the first end counts. */
export function endHit(record: HitRecord, end: Exclude<HitEnd, 'open'>): boolean {
  if (record.end !== 'open') return false;
  record.end = end;
  record.endedAt = performance.timeOrigin + performance.now();
  return true;
}
