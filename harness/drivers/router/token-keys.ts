/** The keys with a daily token budget. Each can be spent once a day, so that a run deals them out with care. */

import type { RouterTarget } from '../../../schemas/router/target.ts';
import { routerNeeds } from '../../../schemas/router/needs.ts';
import { NotExercised } from '../../runner/case.ts';

export interface TokenKey {
  /** Name of the key, as requests are sent `as` it. */
  readonly name: string;
  /** Its daily tokens. */
  readonly limit: number;
}

interface Waiting {
  readonly toSpend: boolean;
  readonly go: (key: TokenKey | undefined) => void;
}

export class TokenKeys {
  readonly #free: TokenKey[];
  readonly #total: number;
  #waiting: Waiting[] = [];
  #lent = 0;

  constructor(target: Pick<RouterTarget, 'keys'>) {
    this.#free = (target.keys.tokensPerDay ?? []).map(({ key, limit }) => ({ name: key, limit }));
    this.#total = this.#free.length;
  }

  /** A key for good: whoever takes it spends it. Throws `NotExercised` when all are spent. */
  async spend(): Promise<TokenKey> {
    return this.#take(true);
  }

  /** A key for what hardly costs tokens; others have it afterwards. Throws `NotExercised` when all are spent. */
  async borrow<T>(use: (key: TokenKey) => Promise<T>): Promise<T> {
    const key = await this.#take(false);
    try {
      return await use(key);
    } finally {
      this.#bringBack(key);
    }
  }

  /** The key that would be handed out last; undefined where it would be the next as well. */
  get last(): TokenKey | undefined {
    return this.#free.length > 1 ? this.#free.at(-1) : undefined;
  }

  /** A key that happens to be free, the `preferred` one if it is, to see it beside another; nobody waits for one. Others have it afterwards. */
  async beside<T>(
    use: (key: TokenKey | undefined) => Promise<T>,
    preferred?: TokenKey,
  ): Promise<T> {
    const at = this.#free.findIndex((key) => key.name === preferred?.name);
    const [key] = this.#free.splice(Math.max(0, at), 1);
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
    throw new NotExercised(
      `needs one more of ${routerNeeds['keys.tokensPerDay'].purpose}: the ${this.#total} of the target file are spent`,
      `keys: { tokensPerDay: [ { key: \${ROUTER_KEY_TPD_${this.#total + 1}}, limit: 2000 } ] }`,
    );
  }

  /** Hands a key on, to one who borrows if there is one: a spent key serves nobody else. */
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
