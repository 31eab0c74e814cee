/** What of a target file may be shown to its author, and so end up in a log; and the variables in it. */

import type { KeyPath } from './keys.ts';
import { isKnownPlace } from './known-keys.ts';

const OPEN = '\uF8F0';
const CLOSE = '\uF8F1';
const variable = /\$\{([^{}\n]*)\}/gu;
const pathParameter = /(?<=\/)\{([A-Za-z]+)\}/gu;
const name = /^[A-Za-z_][A-Za-z0-9_]*$/u;
/** Stands in the place of what must not be shown. */
const MASK = '‹hidden›';

/** The source as the YAML parser may see it, position for position. */
export function hideBraces(source: string): string {
  return source
    .replace(variable, `$$${OPEN}$1${CLOSE}`)
    .replace(pathParameter, `${OPEN}$1${CLOSE}`);
}

/** The text as its author wrote it. */
export function showBraces(hidden: string): string {
  return hidden.replaceAll(OPEN, '{').replaceAll(CLOSE, '}');
}

/** True when the text is one variable and nothing else, and its name is no key in disguise. */
export function isPlainVariable(text: string): boolean {
  const inner = /^\$\{([^{}\n]*)\}$/u.exec(text)?.[1];
  return inner !== undefined && shownVariable(inner) === inner;
}

/** What stands between the braces as it may be shown: somebody may have put a key there instead of a name. */
export function shownVariable(inner: string): string {
  return /^([A-Z_][A-Z0-9_]*|[A-Za-z_]{1,40}(:?[-=?+]\w{0,5})?)$/u.test(inner) ? inner : MASK;
}

/** What became of the variables of one text. */
export interface Expansion {
  readonly text: string;
  /** Variables that the environment does not set. */
  readonly missing: readonly string[];
  /** Variables that are set to nothing. */
  readonly empty: readonly string[];
  /** What stands between braces and cannot name a variable. */
  readonly misnamed: readonly string[];
  /** True when the text had any variable. */
  readonly any: boolean;
}

/** Puts the environment's values in place; values are taken as they are and not expanded again. */
export function expandVariables(text: string, environment: NodeJS.ProcessEnv): Expansion {
  const missing: string[] = [];
  const empty: string[] = [];
  const misnamed: string[] = [];
  let any = false;
  const expanded = text.replace(variable, (_, inner: string) => {
    any = true;
    const value = name.test(inner) ? environment[inner] : undefined;
    if (!name.test(inner)) misnamed.push(inner);
    else if (value === undefined) missing.push(inner);
    else if (value === '') empty.push(inner);
    return value ?? '';
  });
  return { text: expanded, missing, empty, misnamed, any };
}

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
