/** What one request holds while it runs, so that all of it comes back however the request ends. */

import type { Ending, Holding, RequestContext } from './context.ts';
import type { RouterRules } from './rules/rules.ts';

interface Held {
  readonly holding: Holding;
  readonly free: () => void;
}

export class Holdings {
  readonly #rules: RouterRules;
  readonly #context: RequestContext;
  #held: Held[] = [];

  constructor(rules: RouterRules, context: RequestContext) {
    this.#rules = rules;
    this.#context = context;
  }

  /** Remembers something held; returns a function that gives just that back, once. */
  add(holding: Holding, free: () => void): (ending: Ending) => void {
    const held: Held = { holding, free };
    this.#held.push(held);
    return (ending) => {
      if (!this.#held.includes(held)) return;
      this.#held = this.#held.filter((other) => other !== held);
      this.#rules.release(holding, ending, free, this.#context);
    };
  }

  /** Gives back all that is still held. */
  releaseAll(ending: Ending): void {
    const held = this.#held;
    this.#held = [];
    for (const { holding, free } of held) this.#rules.release(holding, ending, free, this.#context);
  }
}
