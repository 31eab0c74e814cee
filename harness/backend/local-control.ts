/** Controls a scripted backend in this process. */

import { Refused } from './behaviour.ts';
import {
  type BackendControl,
  type Hit,
  type ListenerTotals,
  type Pressure,
  type ScriptCounts,
  type TurnAt,
  usualTimeoutMs,
  type WaitCondition,
  type WaitOptions,
  WaitTimedOut,
} from './control.ts';
import type { EngineListener } from './engine-listener.ts';
import type { ScriptRegistry } from './scripts.ts';

/** Releases the turn; a second call does nothing. */
export type Leave = () => void;

interface Waiting {
  readonly alone: boolean;
  readonly go: (leave: Leave) => void;
}

export class Turns {
  #queue: Waiting[] = [];
  #under = 0;
  #alone = false;

  /** Waits for a turn. Rejects with the signal's reason if the signal aborts first. */
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

export class LocalControl implements BackendControl {
  readonly #registry: ScriptRegistry;
  readonly #engines: readonly EngineListener[];
  readonly #turns: Readonly<Record<TurnAt, Turns>> = { target: new Turns(), answers: new Turns() };
  readonly close: () => Promise<void>;

  constructor(
    registry: ScriptRegistry,
    engines: readonly EngineListener[],
    close: () => Promise<void>,
  ) {
    this.#registry = registry;
    this.#engines = engines;
    this.close = close;
  }

  get listeners(): readonly string[] {
    return this.#engines.map(({ url }) => url);
  }

  /** Validates and registers a script from untrusted data. */
  async script(behaviours: unknown): Promise<string> {
    return this.#registry.add(behaviours);
  }

  async hits(id: string): Promise<readonly Hit[]> {
    // Copies, so that later changes do not affect them.
    return Array.from(this.#registry.get(id).kept, (record) => ({ ...record }));
  }

  async counts(id: string): Promise<ScriptCounts> {
    return this.#registry.get(id).counts;
  }

  async waitFor(
    id: string,
    condition: WaitCondition,
    { timeoutMs = usualTimeoutMs, signal }: WaitOptions = {},
  ): Promise<ScriptCounts> {
    const script = this.#registry.get(id);
    // AbortSignal.timeout would not keep the process alive, and the wait must end.
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

  async setPressure(pressure: Pressure | null, listener?: string): Promise<void> {
    const engines = this.#engines.filter(({ url }) => listener === undefined || url === listener);
    if (engines.length === 0) {
      throw new Refused(`No listener ${listener}. There are: ${this.listeners.join(', ')}.`);
    }
    for (const engine of engines) engine.load.pressure = pressure ?? {};
  }

  async totals(): Promise<readonly ListenerTotals[]> {
    return this.#engines.map(({ url, load }) => load.totals(url));
  }

  async turn(alone: boolean, signal?: AbortSignal, at: TurnAt = 'target'): Promise<() => void> {
    return this.#turns[at].take(alone, signal);
  }
}
