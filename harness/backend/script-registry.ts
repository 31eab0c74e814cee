/** All scripts and all hits of one backend, within bounds. */

import { randomUUID } from 'node:crypto';

import { parseScript } from './behaviour.ts';
import { UnknownScript } from './control.ts';
import { HitLog, type HitLimits, type HitRecord } from './hit-log.ts';
import { PlayedScript } from './played-script.ts';

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
