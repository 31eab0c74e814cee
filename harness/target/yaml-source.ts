/** Reads the YAML of a target file and remembers where everything stands. */

import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Scalar,
  type YAMLError,
} from 'yaml';
import { type KeyPath, keyPathText } from './key-path.ts';
import type { TargetProblem } from './problem.ts';
import { hideBraces, isVariable, showBraces } from './variables.ts';

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

export interface ScalarPlace {
  readonly path: KeyPath;
  readonly node: Scalar;
}

interface Place {
  readonly key: number | undefined;
  readonly value: number | undefined;
}

export class YamlSource {
  readonly file: string;
  readonly scalars: readonly ScalarPlace[];
  readonly document: Document.Parsed;
  /** What YAML itself has to say against the file. */
  readonly problems: readonly TargetProblem[];
  readonly #text: string;
  readonly #counter = new LineCounter();
  readonly #places = new Map<string, Place>();
  readonly #masked: (readonly [from: number, to: number])[] = [];

  /** `knownKeys`: the keys at the top; what stands under any other one may be a misplaced secret. */
  constructor(file: string, text: string, knownKeys: ReadonlySet<string>) {
    this.file = file;
    this.#text = text;
    this.document = parseDocument(hideBraces(text), {
      lineCounter: this.#counter,
      prettyErrors: false,
      keepSourceTokens: true,
    });
    const scalars: ScalarPlace[] = [];
    const aliases: number[] = [];
    this.#walk(this.document.contents, [], scalars, aliases);
    this.scalars = scalars;
    for (const { path, node } of scalars) this.#maskSecret(path, node, knownKeys);
    const complaints = [...this.document.errors, ...this.document.warnings];
    if (complaints.length > 0) this.#maskWhatLooksSecret();
    this.problems = [
      // Further ones mostly follow from the first.
      ...complaints.slice(0, 1).map((error) => this.#yamlProblem(error)),
      ...aliases.map((offset) =>
        this.#problem(
          offset,
          '',
          'an alias',
          'Write the value itself: a target file has no aliases.',
        ),
      ),
    ];
  }

  /** Says what is wrong with the value at a path, or with its key, or with the nearest thing around it. */
  problemAt(path: KeyPath, part: 'key' | 'value', problem: string, hint: string): TargetProblem {
    for (let length = path.length; length > 0; length -= 1) {
      const place = this.#places.get(keyPathText(path.slice(0, length)));
      const atKey = part === 'key' || length < path.length;
      const offset = atKey ? (place?.key ?? place?.value) : (place?.value ?? place?.key);
      if (offset !== undefined) return this.#problem(offset, keyPathText(path), problem, hint);
    }
    return { line: 1, column: 1, key: keyPathText(path), problem, hint, excerpt: undefined };
  }

  #problem(offset: number, key: string, problem: string, hint: string): TargetProblem {
    const { line, col } = this.#counter.linePos(Math.min(offset, this.#text.length));
    const { text, column } = this.#excerpt(line, col);
    return { line, column, key, problem, hint, excerpt: text };
  }

  #walk(node: unknown, path: KeyPath, scalars: ScalarPlace[], aliases: number[]): void {
    if (isMap(node)) {
      for (const pair of node.items) {
        if (!isPair(pair) || !isScalar(pair.key)) continue;
        if (typeof pair.key.value === 'string') pair.key.value = showBraces(pair.key.value);
        const inner = [...path, String(pair.key.value)];
        this.#remember(inner, pair.key.range?.[0], rangeStart(pair.value));
        this.#walk(pair.value, inner, scalars, aliases);
      }
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        const inner = [...path, index];
        this.#remember(inner, undefined, rangeStart(item));
        this.#walk(item, inner, scalars, aliases);
      }
    } else if (isAlias(node)) {
      aliases.push(node.range?.[0] ?? 0);
    } else if (isScalar(node)) {
      if (typeof node.value === 'string') node.value = showBraces(node.value);
      scalars.push({ path, node });
    }
  }

  #remember(path: KeyPath, key: number | undefined, value: number | undefined): void {
    this.#places.set(keyPathText(path), { key, value });
  }

  #maskSecret(path: KeyPath, node: Scalar, knownKeys: ReadonlySet<string>): void {
    const text = typeof node.value === 'string' ? node.value : undefined;
    const inUrl = path[0] === 'baseUrl' && text !== undefined && /\/\/[^/]*@/u.test(text);
    if (!inUrl && !mayBeSecret(path) && knownKeys.has(String(path[0]))) return;
    if (text !== undefined && isVariable(text)) return;
    const range = node.range;
    if (range && range[1] > range[0]) this.#masked.push([range[0], range[1]]);
  }

  /** Where the structure is broken, a secret may stand anywhere: long words with digits are not shown. */
  #maskWhatLooksSecret(): void {
    for (const match of this.#text.matchAll(/(?<!\$\{\w*)[\w+/=.~-]*[\w+/=~-]{12,}/gu)) {
      if (!/\d/u.test(match[0])) continue;
      this.#masked.push([match.index, match.index + match[0].length]);
    }
  }

  /** One line with what is secret replaced, and where the column has moved to. */
  #excerpt(line: number, column: number): { readonly text: string; readonly column: number } {
    const start = this.#counter.lineStarts[line - 1] ?? 0;
    const end = this.#text.indexOf('\n', start);
    const whole = this.#text.slice(start, end === -1 ? undefined : end).replace(/\r$/u, '');
    let text = '';
    let from = 0;
    let moved = column;
    for (const [first, last] of this.#masked.toSorted((a, b) => a[0] - b[0])) {
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

  #yamlProblem(error: YAMLError): TargetProblem {
    const from = error.pos[0];
    if (error.code === 'DUPLICATE_KEY') {
      const twice = [...this.#places].find(([, place]) => place.key === from);
      return this.#problem(from, twice?.[0] ?? '', 'the key stands twice', 'Keep one of them.');
    }
    if (error.code === 'MULTIPLE_DOCS') {
      return this.#problem(
        from,
        '',
        'more than one YAML document',
        'Write one target per file, without --- in between.',
      );
    }
    // The parser may quote the source, where a secret can stand.
    const said = showBraces(error.message)
      .replace(/\s+/gu, ' ')
      .replace(/(: ".*"|\.)$/u, '');
    return this.#problem(
      from,
      '',
      `not YAML: ${said.charAt(0).toLowerCase()}${said.slice(1)}`,
      'Correct it; a value with : # { } [ ] or * in it needs quotes.',
    );
  }
}

const MASK = '‹hidden›';

/** True for a text that is a secret, or may be one that stands in the wrong place. */
export function mayBeSecret(path: KeyPath): boolean {
  return path[0] === 'keys' && !(path.length > 2 && openUnderRole.has(String(path.at(-1))));
}

function rangeStart(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
