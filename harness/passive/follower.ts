/** Follows exchanges over time: what one alone does not show. */

import type { Exchange } from '../exchange/exchange.ts';
import type { Tally } from './tally.ts';

/** Where a follower tells what it found. */
export type Tell = Pick<Tally, 'judge' | 'record' | 'transition'>;

export interface Follower {
  /** Takes every exchange, in the order in which they ended. */
  take(exchange: Exchange, tell: Tell): void;
}

/** When an exchange had ended, in milliseconds since the epoch. */
export function endOf(exchange: Exchange): number {
  return exchange.startedAt + exchange.durationMs;
}

/** A map that forgets what was not touched for longest. */
export class Recent<K, V> {
  readonly #most: number;
  readonly #entries = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }
}
