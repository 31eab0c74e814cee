/** Which stretches of a target file may be shown to its author, and so end up in a log. */

import type { KeyPath } from './key-path.ts';
import { isKnownPlace } from './known-keys.ts';
import { isPlainVariable } from './variables.ts';

const MASK = '‹hidden›';

/** Keys under a role of `keys` that say something of the role and are no secret. */
const openUnderRole = new Set([
  'allows',
  'denies',
  'undeclared',
  'model',
  'limit',
  'inputTokensPerMinute',
  'outputTokensPerMinute',
  'occupancyShare',
]);

/** True for the place of a secret, and for a place that no target file has: a secret may have strayed there. */
export function mayBeSecret(path: KeyPath): boolean {
  if (path[0] === 'keys') return !(path.length > 2 && openUnderRole.has(String(path.at(-1))));
  return !isKnownPlace(path);
}

/** A key as it may be shown: a word; anything else may be a value that lost its key. */
export function shownKey(key: string): string {
  return /^[A-Za-z][A-Za-z_-]{0,40}$/u.test(key) ? key : MASK;
}

/** Stretches of a text that look like secrets wherever they stand: long words with digits in them. */
function* secretLooking(text: string): Generator<readonly [from: number, to: number]> {
  for (const match of text.matchAll(/[\w+/=.~-]*[\w+/=~-]{6,}[\w+/=.~-]*/gu)) {
    const [from, to] = [match.index, match.index + match[0].length];
    if (!/\d/u.test(match[0]) || isPlainVariable(text.slice(from - 2, to + 1))) continue;
    yield [from, to];
  }
}

/** The text of a file with what must not be shown. */
export class Concealment {
  readonly #text: string;
  readonly #hidden: (readonly [from: number, to: number])[] = [];

  /** What comments hold is hidden where it looks like a secret: nothing else is known of it. */
  constructor(text: string) {
    this.#text = text;
    for (const comment of text.matchAll(/#.*/gu)) this.#hideLooking(comment[0], comment.index);
  }

  /** Hides a stretch, from an offset to another. */
  hide(from: number, to: number): void {
    if (to > from) this.#hidden.push([from, to]);
  }

  /** Hides whatever looks like a secret: for a file whose structure is broken. */
  hideWhatLooksSecret(): void {
    this.#hideLooking(this.#text, 0);
  }

  #hideLooking(text: string, offset: number): void {
    for (const [from, to] of secretLooking(text)) this.hide(offset + from, offset + to);
  }

  /** The line that starts at an offset, without what is hidden, and where a column (from 1) has moved to. */
  line(start: number, column: number): { readonly text: string; readonly column: number } {
    const end = this.#text.indexOf('\n', start);
    const whole = this.#text.slice(start, end === -1 ? undefined : end).replace(/\r$/u, '');
    let text = '';
    let from = 0;
    let moved = column;
    for (const [first, last] of this.#hidden.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
      const left = Math.max(first - start, from);
      const right = Math.min(last - start, whole.length);
      if (right <= left) continue;
      text += `${whole.slice(from, left)}${MASK}`;
      from = right;
      if (column - 1 >= right) moved += MASK.length - (right - left);
      else if (column - 1 > left) moved -= column - 1 - left;
    }
    return { text: text + whole.slice(from), column: moved };
  }
}
