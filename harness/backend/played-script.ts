/** One script while it is played: its next behaviour, its hits, and who waits for what. */

import type { Behaviour } from './behaviour.ts';
import {
  isMet,
  UnknownScript,
  type HitEnd,
  type ScriptCounts,
  type WaitCondition,
} from './control.ts';
import { Gate } from './gate.ts';
import { endHit, type HitRecord } from './hit-log.ts';

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
