/** The control of a backend that runs in this process. */

import type { Behaviour } from './behaviour.ts';
import {
  WaitTimedOut,
  type BackendControl,
  type Hit,
  type ListenerTotals,
  type Pressure,
  type ScriptCounts,
  type TurnAt,
  type WaitCondition,
  type WaitOptions,
} from './control.ts';
import type { EngineListener } from './engine-listener.ts';
import { snapshot } from './hit-log.ts';
import { parsePressure } from './pressure.ts';
import type { ScriptRegistry } from './script-registry.ts';
import { Turns } from './turns.ts';

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
