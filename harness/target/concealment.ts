/** Decides which parts of a target file may be shown to its author, and so appear in a log; expands its variables. */

import type { KeyPath } from './keys.ts';
import { isKnownPlace } from './known-keys.ts';

const OPEN = '\uF8F0';
const CLOSE = '\uF8F1';
const variable = /\$\{([^{}\n]*)\}/gu;
const pathParameter = /(?<=\/)\{([A-Za-z]+)\}/gu;
const name = /^[A-Za-z_][A-Za-z0-9_]*$/u;
const MASK = '‹hidden›';

/** The source with the braces of variables and path parameters replaced for the YAML parser; positions are unchanged. */
export function hideBraces(source: string): string {
  return source
    .replace(variable, `$$${OPEN}$1${CLOSE}`)
    .replace(pathParameter, `${OPEN}$1${CLOSE}`);
}

/** Undoes `hideBraces`. */
export function showBraces(hidden: string): string {
  return hidden.replaceAll(OPEN, '{').replaceAll(CLOSE, '}');
}

/** True when the text is exactly one variable, whose name does not look like a key. */
export function isPlainVariable(text: string): boolean {
  const inner = /^\$\{([^{}\n]*)\}$/u.exec(text)?.[1];
  return inner !== undefined && shownVariable(inner) === inner;
}

/** The text between the braces, masked unless it is a variable name: an author may have put a key there. */
export function shownVariable(inner: string): string {
  return /^([A-Z_][A-Z0-9_]*|[A-Za-z_]{1,40}(:?[-=?+]\w{0,5})?)$/u.test(inner) ? inner : MASK;
}

/** The result of expanding the variables of one text. */
export interface Expansion {
  readonly text: string;
  /** Variables that the environment does not set. */
  readonly missing: readonly string[];
  /** Variables that are set to an empty string. */
  readonly empty: readonly string[];
  /** Texts between braces that cannot name a variable. */
  readonly misnamed: readonly string[];
  readonly any: boolean;
}

/** Replaces variables by their values from the environment, which are not expanded again. */
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

/** Members of a role of `keys` that describe the role and are not secret. */
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

/** True for the place of a secret, and for an unknown place, since an author may have put a secret there by mistake. */
export function mayBeSecret(path: KeyPath): boolean {
  if (path[0] === 'keys') return !(path.length > 2 && openUnderRole.has(String(path.at(-1))));
  return !isKnownPlace(path);
}

/** The key if it is a plain word, otherwise the mask: anything else may be a misplaced value. */
export function shownKey(key: string): string {
  return /^[A-Za-z][A-Za-z_-]{0,40}$/u.test(key) ? key : MASK;
}

/** The stretches of a text that look like secrets: long words that contain digits. */
function* secretLooking(text: string): Generator<readonly [from: number, to: number]> {
  for (const match of text.matchAll(/[\w+/=.~-]*[\w+/=~-]{6,}[\w+/=.~-]*/gu)) {
    const [from, to] = [match.index, match.index + match[0].length];
    if (!/\d/u.test(match[0]) || isPlainVariable(text.slice(from - 2, to + 1))) continue;
    yield [from, to];
  }
}

/** The text of a file, and the stretches of it that must not be shown. */
export class Concealment {
  readonly #text: string;
  readonly #hidden: (readonly [from: number, to: number])[] = [];

  /** Hides whatever looks like a secret in comments, which have no structure to judge by. */
  constructor(text: string) {
    this.#text = text;
    for (const comment of text.matchAll(/#.*/gu)) this.#hideLooking(comment[0], comment.index);
  }

  hide(from: number, to: number): void {
    if (to > from) this.#hidden.push([from, to]);
  }

  /** Hides whatever looks like a secret, for a file that is not valid YAML. */
  hideWhatLooksSecret(): void {
    this.#hideLooking(this.#text, 0);
  }

  #hideLooking(text: string, offset: number): void {
    for (const [from, to] of secretLooking(text)) this.hide(offset + from, offset + to);
  }

  /** The line that starts at an offset, without hidden stretches, and the new position of a column (from 1). */
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
