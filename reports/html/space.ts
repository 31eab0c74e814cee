/** Keeps the page small: what does not fit is named, and is in `conformance.json`. */

import type { Markup } from './markup.ts';

export class Space {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** The first of the forms that still fits, from full to short; the last one goes in always. */
  first(...forms: readonly [() => Markup, ...(() => Markup)[]]): Markup {
    const last = forms.length - 1;
    for (const form of forms.slice(0, last)) {
      const markup = form();
      if (markup.bytes <= this.#left) return this.#take(markup);
    }
    return this.#take((forms[last] ?? forms[0])());
  }

  #take(markup: Markup): Markup {
    this.#left -= markup.bytes;
    return markup;
  }
}
