/** Control of a scripted backend in this process. */

import type { Behaviour } from './behaviour.ts';
import {
  type BackendControl,
  type Hit,
  type ListenerTotals,
  type Pressure,
  type ScriptCounts,
  type TurnAt,
  type WaitCondition,
  type WaitOptions,
  WaitTimedOut,
} from './control.ts';
import type { EngineListener } from './engine-listener.ts';
import { type ScriptRegistry, snapshot } from './scripts.ts';
import { parsePressure } from './load.ts';

/** Gives the turn back; a second time does nothing. */
export type Leave = () => void;

interface Waiting {
  readonly alone: boolean;
  readonly go: (leave: Leave) => void;
}

export class Turns {
  #queue: Waiting[] = [];
  #under = 0;
  #alone = false;

  /** Waits for a turn. Rejects with the signal's reason when that comes first. */
  async take(alone: boolean, signal?: AbortSignal): Promise<Leave> {
    signal?.throwIfAborted();
    return new Promise((go, fail) => {
      const waiting: Waiting = {
        alone,
        go: (leave) => {
          signal?.removeEventListener('abort', stop);
          go(leave);
        },
      };
      const stop = (): void => {
        this.#queue = this.#queue.filter((other) => other !== waiting);
        fail(signal?.reason instanceof Error ? signal.reason : new Error('nobody waits any more'));
        this.#admit();
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#queue.push(waiting);
      this.#admit();
    });
  }

  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (this.#alone || (next.alone && this.#under > 0)) return;
      this.#queue.shift();
      this.#under += 1;
      this.#alone = next.alone;
      let left = false;
      next.go(() => {
        if (left) return;
        left = true;
        this.#under -= 1;
        this.#alone = false;
        this.#admit();
      });
    }
  }
}

export const usualTimeoutMs = 5000;

export class LocalControl implements BackendControl {
  readonly #registry: ScriptRegistry;
  readonly #engines: readonly EngineListener[];
  readonly #stop: () => Promise<void>;
  readonly #turns: Readonly<Record<TurnAt, Turns>> = { target: new Turns(), answers: new Turns() };

  constructor(
    registry: ScriptRegistry,
    engines: readonly EngineListener[],
    stop: () => Promise<void>,
  ) {
    this.#registry = registry;
    this.#engines = engines;
    this.#stop = stop;
  }

  get listeners(): readonly string[] {
    return this.#engines.map(({ url }) => url);
  }

  async script(behaviours: readonly Behaviour[]): Promise<string> {
    return this.#registry.add(behaviours);
  }

  async hits(id: string): Promise<readonly Hit[]> {
    return Array.from(this.#registry.get(id).kept, snapshot);
  }

  async counts(id: string): Promise<ScriptCounts> {
    return this.#registry.get(id).counts;
  }

  async waitForHits(id: string, count: number, options?: WaitOptions): Promise<readonly Hit[]> {
    await this.waitFor(id, { hits: count }, options);
    return this.hits(id);
  }

  async waitFor(
    id: string,
    condition: WaitCondition,
    { timeoutMs = usualTimeoutMs, signal }: WaitOptions = {},
  ): Promise<ScriptCounts> {
    const script = this.#registry.get(id);
    // A timer of our own: those of AbortSignal.timeout do not keep the process alive, and a wait must end.
    const over = new AbortController();
    const timer = setTimeout(
      () => over.abort(new WaitTimedOut(id, condition, script.counts, timeoutMs)),
      timeoutMs,
    );
    try {
      return await script.reached(
        condition,
        signal ? AbortSignal.any([signal, over.signal]) : over.signal,
      );
    } finally {
      clearTimeout(timer);
    }
  }

  async release(id: string, count?: number): Promise<void> {
    const script = this.#registry.get(id);
    script.gate.release(count);
    script.changed();
  }

  async forget(id: string): Promise<void> {
    this.#registry.forget(id);
  }

  async setPressure(pressure: Pressure | null, listener?: string): Promise<void> {
    const parsed = parsePressure(pressure);
    const engines = this.#engines.filter(({ url }) => listener === undefined || url === listener);
    if (engines.length === 0) {
      throw new RangeError(`No listener ${listener}. There are: ${this.listeners.join(', ')}.`);
    }
    for (const engine of engines) engine.setPressure(parsed);
  }

  async totals(): Promise<readonly ListenerTotals[]> {
    return this.#engines.map(({ totals }) => totals);
  }

  async recentHits(): Promise<readonly Hit[]> {
    return Array.from(this.#registry.log.records, snapshot);
  }

  async turn(alone: boolean, signal?: AbortSignal, at: TurnAt = 'target'): Promise<() => void> {
    return this.#turns[at].take(alone, signal);
  }

  async close(): Promise<void> {
    await this.#stop();
  }
}
