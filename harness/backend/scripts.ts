/** The scripts of an engine: the behaviours for each request, and the recorded hits. */

import { randomUUID } from 'node:crypto';
import type { Hit, ScriptCounts, WaitCondition } from './control.ts';
import { type Behaviour, parseScript, Refused } from './behaviour.ts';
import { Gate } from './delivery.ts';

type HitRecord = { -readonly [Member in keyof Hit]: Hit[Member] };

/** The possible ends of a hit. */
export type HitEnd = Exclude<Hit['end'], 'open'>;

interface PendingWait {
  readonly condition: WaitCondition;
  readonly resolve: (counts: ScriptCounts) => void;
  readonly reject: (error: Error) => void;
}

export class PlayedScript {
  readonly id: string;
  readonly kept = new Set<HitRecord>();
  readonly gate = new Gate();
  readonly #behaviours: readonly Behaviour[];
  readonly #waiters = new Set<PendingWait>();
  #played = 0;
  #hits = 0;
  #ended = 0;

  constructor(id: string, behaviours: readonly Behaviour[]) {
    this.id = id;
    this.#behaviours = behaviours;
  }

  /** The behaviour of the next hit; after the end of the script, the last behaviour repeats. */
  next(): Behaviour | undefined {
    this.#played += 1;
    return this.#behaviours[this.#played - 1] ?? this.#behaviours.at(-1);
  }

  get counts(): ScriptCounts {
    return { hits: this.#hits, held: this.gate.held, ended: this.#ended };
  }

  began(record: HitRecord): void {
    this.kept.add(record);
    this.#hits += 1;
    this.changed();
  }

  /** Marks the end of a hit; only the first end counts. */
  end(record: HitRecord, end: HitEnd): void {
    if (record.end !== 'open') return;
    record.end = end;
    record.endedAt = performance.timeOrigin + performance.now();
    this.#ended += 1;
    this.changed();
  }

  /** Resolves to the counts once the condition holds; rejects with the signal's reason, or if the script is removed. */
  async reached(condition: WaitCondition, signal: AbortSignal): Promise<ScriptCounts> {
    signal.throwIfAborted();
    const now = this.counts;
    if (isMet(condition, now)) return now;
    let give = (): void => {};
    let pending: PendingWait | undefined;
    try {
      return await new Promise((resolve, reject) => {
        give = () => reject(signal.reason);
        pending = { condition, resolve, reject };
        this.#waiters.add(pending);
        signal.addEventListener('abort', give);
      });
    } finally {
      signal.removeEventListener('abort', give);
      if (pending !== undefined) this.#waiters.delete(pending);
    }
  }

  /** Resolves waits whose condition now holds; must be called after every change of a count. */
  changed(): void {
    if (this.#waiters.size === 0) return;
    const { counts } = this;
    for (const pending of this.#waiters) {
      if (isMet(pending.condition, counts)) pending.resolve(counts);
    }
  }

  /** Releases all held requests and rejects all waits. */
  retire(): void {
    this.gate.release();
    for (const pending of this.#waiters) pending.reject(unknownScript(this.id));
  }
}

function isMet({ hits = 0, held = 0, ended = 0 }: WaitCondition, now: ScriptCounts): boolean {
  return hits <= now.hits && held <= now.held && ended <= now.ended;
}

function unknownScript(id: string): Refused {
  return new Refused(
    `The scripted backend has no script "${id}": it was never registered, or was dropped for newer ones.`,
  );
}

/** The most that is kept at a time; the oldest entries are removed first. */
export interface BackendLimits {
  readonly scripts: number;
  readonly hits: number;
  /** Bytes of the bodies of all hits; at most a quarter of them for one body. */
  readonly bodyBytes: number;
}

/** Enough for any suite, at some tens of megabytes. */
const usualLimits: BackendLimits = { scripts: 10_000, hits: 20_000, bodyBytes: 64 * 1024 * 1024 };

export class ScriptRegistry {
  readonly #scripts = new Map<string, PlayedScript>();
  readonly #limits: BackendLimits;
  /** All kept hits, oldest first. */
  readonly #hits = new Map<HitRecord, PlayedScript>();
  #bodyBytes = 0;

  constructor(limits: BackendLimits = usualLimits) {
    this.#limits = limits;
  }

  /** Validates and registers a script from untrusted data. @throws {Refused} */
  add(behaviours: unknown): string {
    const script = parseScript(behaviours);
    // Random ids keep apart the scripts of several runs that use the same backend.
    const id = randomUUID().slice(-10);
    this.#scripts.set(id, new PlayedScript(id, script));
    for (const oldest of this.#scripts.keys()) {
      if (this.#scripts.size <= this.#limits.scripts) break;
      this.#forget(oldest);
    }
    return id;
  }

  has(id: string): boolean {
    return this.#scripts.has(id);
  }

  /** @throws {Refused} */
  get(id: string): PlayedScript {
    const script = this.#scripts.get(id);
    if (script === undefined) throw unknownScript(id);
    return script;
  }

  /** Records a hit: its script counts it, and the hit is kept until newer hits need its space. */
  began(record: HitRecord, script: PlayedScript): void {
    record.body = record.body.subarray(0, Math.floor(this.#limits.bodyBytes / 4));
    script.began(record);
    this.#hits.set(record, script);
    this.#bodyBytes += record.body.length;
    for (const oldest of this.#hits.keys()) {
      if (this.#hits.size <= this.#limits.hits && this.#bodyBytes <= this.#limits.bodyBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(record: HitRecord): void {
    this.#hits.get(record)?.kept.delete(record);
    if (this.#hits.delete(record)) this.#bodyBytes -= record.body.length;
  }

  #forget(id: string): void {
    const script = this.#scripts.get(id);
    this.#scripts.delete(id);
    for (const record of script?.kept ?? []) this.#drop(record);
    script?.retire();
  }

  close(): void {
    for (const id of this.#scripts.keys()) this.#forget(id);
  }
}
