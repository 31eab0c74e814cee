/** The scripts of an engine: what is to be played for which request, and what came of it. */

import { randomUUID } from 'node:crypto';
import {
  type Hit,
  type HitEnd,
  isMet,
  type ScriptCounts,
  UnknownScript,
  type WaitCondition,
} from './control.ts';
import { type Behaviour, parseScript } from './behaviour.ts';
import { Gate } from './delivery.ts';

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

interface Waiter {
  readonly condition: WaitCondition;
  readonly resolve: (counts: ScriptCounts) => void;
  readonly reject: (error: Error) => void;
}

export class PlayedScript {
  readonly id: string;
  /** The hits that are kept, oldest first. */
  readonly kept = new Set<HitRecord>();
  readonly gate = new Gate();
  readonly #behaviours: readonly Behaviour[];
  readonly #waiters = new Set<Waiter>();
  readonly #ended = { answered: 0, dropped: 0, left: 0 };
  #played = 0;
  #hits = 0;
  #peak = 0;

  constructor(id: string, behaviours: readonly Behaviour[]) {
    this.id = id;
    this.#behaviours = behaviours;
  }

  /** The behaviour of the next hit, and its place in the script. */
  next(): { readonly behaviour: Behaviour; readonly index: number } {
    const index = Math.min(this.#played, this.#behaviours.length - 1);
    const behaviour = this.#behaviours[index];
    if (!behaviour) throw new Error(`Script "${this.id}" has no behaviours.`);
    this.#played += 1;
    return { behaviour, index };
  }

  get counts(): ScriptCounts {
    const { answered, dropped, left } = this.#ended;
    const ended = answered + dropped + left;
    return {
      hits: this.#hits,
      held: this.gate.held,
      open: this.#hits - ended,
      peak: this.#peak,
      answered,
      dropped,
      left,
      ended,
    };
  }

  began(record: HitRecord): void {
    this.kept.add(record);
    this.#hits += 1;
    this.#peak = Math.max(this.#peak, this.counts.open);
    this.changed();
  }

  end(record: HitRecord, end: Exclude<HitEnd, 'open'>): void {
    if (!endHit(record, end)) return;
    this.#ended[end] += 1;
    this.changed();
  }

  /** Resolves once the condition holds, to the counts at that moment; rejects with the signal's reason, or if the script is forgotten. */
  async reached(condition: WaitCondition, signal: AbortSignal): Promise<ScriptCounts> {
    signal.throwIfAborted();
    const now = this.counts;
    if (isMet(condition, now)) return now;
    return new Promise((resolve, reject) => {
      const give = () => waiter.reject(signal.reason);
      const done = () => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', give);
      };
      const waiter: Waiter = {
        condition,
        resolve: (counts) => {
          done();
          resolve(counts);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', give, { once: true });
    });
  }

  /** Tells those who wait; to be called after anything that counts has changed. */
  changed(): void {
    if (this.#waiters.size === 0) return;
    const { counts } = this;
    for (const waiter of this.#waiters) {
      if (isMet(waiter.condition, counts)) waiter.resolve(counts);
    }
  }

  /** Lets go of everything that is held or waits. */
  retire(): void {
    this.gate.release();
    for (const waiter of this.#waiters) waiter.reject(new UnknownScript(this.id));
  }
}

export interface BackendLimits extends HitLimits {
  /** Scripts known at one time; a newer one takes the place of the oldest. */
  readonly scripts: number;
}

/** Enough for any suite, and some tens of megabytes at most. */
export const usualLimits: BackendLimits = {
  scripts: 10_000,
  hits: 20_000,
  bodyBytes: 64 * 1024 * 1024,
};

export class ScriptRegistry {
  readonly #scripts = new Map<string, PlayedScript>();
  readonly #limits: BackendLimits;
  readonly log: HitLog;

  constructor(limits: BackendLimits) {
    this.#limits = limits;
    this.log = new HitLog(limits, (record) => {
      if (record.script !== null) this.#scripts.get(record.script)?.kept.delete(record);
    });
  }

  /** Registers what may come from anywhere. @throws {InvalidScript} */
  add(behaviours: unknown): string {
    const script = parseScript(behaviours);
    // Random, so that a run never meets the scripts of another that uses the same backend.
    const id = randomUUID().slice(-10);
    this.#scripts.set(id, new PlayedScript(id, script));
    for (const oldest of this.#scripts.keys()) {
      if (this.#scripts.size <= this.#limits.scripts) break;
      this.forget(oldest);
    }
    return id;
  }

  has(id: string): boolean {
    return this.#scripts.has(id);
  }

  /** @throws {UnknownScript} */
  get(id: string): PlayedScript {
    const script = this.#scripts.get(id);
    if (!script) throw new UnknownScript(id);
    return script;
  }

  forget(id: string): void {
    const script = this.#scripts.get(id);
    if (!script) return;
    this.#scripts.delete(id);
    for (const record of script.kept) this.log.remove(record);
    script.retire();
  }

  /** Takes up a hit: the log keeps it, and its script counts it. */
  began(record: HitRecord, script: PlayedScript | null): void {
    script?.began(record);
    this.log.add(record);
  }

  /** Lets everything go. */
  close(): void {
    for (const id of this.#scripts.keys()) this.forget(id);
  }
}
