/** The keys with a daily token budget. Each can be spent once a day, so that a run deals them out with care. */

import type { RouterTarget } from '../../../schemas/router/target.ts';
import { routerNeeds } from '../../../schemas/router/needs.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';

export interface TokenKey {
  /** Name of the key, which requests are sent `as`. */
  readonly name: string;
  readonly limit: number;
}

interface Waiting {
  readonly toSpend: boolean;
  readonly go: (key: TokenKey | undefined) => void;
}

/** Most keys that a run takes, including a few that are lent meanwhile. */
const ENOUGH = 10;

export class TokenKeys {
  #free: TokenKey[];
  readonly #total: number;
  #spentBefore = 0;
  #waiting: Waiting[] = [];
  #lent = 0;

  constructor(target: Pick<RouterTarget, 'keys'>) {
    this.#free = (target.keys.tokensPerDay ?? []).map(({ key, limit }) => ({ name: key, limit }));
    this.#total = this.#free.length;
  }

  /** A key to spend for good. Throws `NotExercised` when all are spent. */
  async spend(): Promise<TokenKey> {
    return this.#take(true);
  }

  /** Lends a key for requests that hardly cost tokens. Throws `NotExercised` when all are spent. */
  async borrow<T>(use: (key: TokenKey) => Promise<T>): Promise<T> {
    const key = await this.#take(false);
    try {
      return await use(key);
    } finally {
      this.#bringBack(key);
    }
  }

  /** The last key, which no other case needs: undefined when there are not more than a run takes. */
  spare(): TokenKey | undefined {
    return this.#total > ENOUGH ? this.#free.pop() : undefined;
  }

  /** Sets aside keys that were spent earlier this day, until enough others are found. Called before any is handed out. */
  async sortOut(isSpent: (key: TokenKey) => Promise<boolean>): Promise<void> {
    const untried = [...this.#free];
    const unspent: TokenKey[] = [];
    while (unspent.length < ENOUGH && untried.length > 0) {
      const batch = untried.splice(0, ENOUGH - unspent.length);
      const spent = await Promise.all(batch.map(isSpent));
      unspent.push(...batch.filter((_, at) => spent[at] !== true));
    }
    // Only after all have answered: if one cannot, no key counts as spent.
    this.#free = [...unspent, ...untried];
    this.#spentBefore = this.#total - this.#free.length;
  }

  /** Lends a key that happens to be free, for comparison with another one; does not wait for one. */
  async beside<T>(use: (key: TokenKey | undefined) => Promise<T>): Promise<T> {
    const key = this.#free.shift();
    if (key === undefined) return use(undefined);
    this.#lent += 1;
    try {
      return await use(key);
    } finally {
      this.#bringBack(key);
    }
  }

  async #take(toSpend: boolean): Promise<TokenKey> {
    const key = this.#free.shift();
    if (key !== undefined) {
      if (!toSpend) this.#lent += 1;
      return key;
    }
    const handed =
      this.#lent === 0
        ? undefined
        : await new Promise<TokenKey | undefined>((go) => this.#waiting.push({ toSpend, go }));
    if (handed !== undefined) return handed;
    if (this.#spentBefore > 0) {
      throw new Inconclusive(
        `${this.#spentBefore} of the ${this.#total} keys of keys.tokensPerDay had spent their daily budget before this run: run again after 00:00 UTC, or list more keys`,
      );
    }
    throw new NotExercised(
      `needs one more of ${routerNeeds['keys.tokensPerDay'].purpose}: the ${this.#total} of the target file are spent`,
      `keys: { tokensPerDay: [ { key: \${ROUTER_KEY_TPD_${this.#total + 1}}, limit: 2000 } ] }`,
    );
  }

  /** Hands a key on, preferably to a borrower, since a spent key is of no use to others. */
  #bringBack(key: TokenKey): void {
    const next = this.#waiting.find(({ toSpend }) => !toSpend) ?? this.#waiting[0];
    this.#waiting = this.#waiting.filter((other) => other !== next);
    if (next?.toSpend !== false) this.#lent -= 1;
    if (next === undefined) this.#free.push(key);
    else next.go(key);
    if (this.#lent > 0) return;
    for (const { go } of this.#waiting) go(undefined);
    this.#waiting = [];
  }
}
