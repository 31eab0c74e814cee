/** Reads the YAML of a target or deviations file, and keeps the position of every key and value. */

import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLError,
} from 'yaml';
import {
  Concealment,
  hideBraces,
  isPlainVariable,
  mayBeSecret,
  showBraces,
  shownKey,
} from './concealment.ts';
import { type KeyPath, keyPathText } from './keys.ts';
import type { TargetProblem } from './problem.ts';

export interface ScalarPlace {
  readonly path: KeyPath;
  readonly node: Scalar;
}

interface Place {
  readonly path: KeyPath;
  readonly key: number | undefined;
  readonly value: number | undefined;
}

export class YamlSource {
  readonly file: string;
  readonly scalars: ScalarPlace[] = [];
  readonly document: Document.Parsed;
  /** YAML errors, and YAML features that target files do not allow. */
  readonly problems: readonly TargetProblem[];
  readonly #length: number;
  readonly #isSecret: (path: KeyPath) => boolean;
  readonly #counter = new LineCounter();
  readonly #concealment: Concealment;
  readonly #places = new Map<string, Place>();
  /** Values of the file whose secrecy is not yet decided. */
  readonly #values: (Pick<ScalarPlace, 'path'> & { text: string; range: Scalar['range'] })[] = [];
  readonly #aliases: number[] = [];
  readonly #oddKeys: number[] = [];

  /** `isSecret` tells which values an excerpt must not show. */
  constructor(file: string, text: string, isSecret = mayBeSecret) {
    this.file = file;
    this.#isSecret = isSecret;
    this.#length = text.length;
    this.#concealment = new Concealment(text);
    this.document = parseDocument(hideBraces(text), {
      lineCounter: this.#counter,
      prettyErrors: false,
    });
    this.#walk(this.document.contents, []);
    const complaints = [...this.document.errors, ...this.document.warnings];
    const broken = complaints.length + this.#aliases.length + this.#oddKeys.length > 0;
    if (broken) this.#concealment.hideWhatLooksSecret();
    this.problems = [
      // Further errors mostly follow from the first.
      ...complaints.slice(0, 1).map((error) => this.#yamlProblem(error)),
      ...this.#aliases.map((offset) =>
        this.#problem(
          offset,
          '',
          'an anchor or alias',
          'Write the value itself: nothing else may stand for it.',
        ),
      ),
      ...this.#oddKeys.map((offset) =>
        this.#problem(offset, '', 'this is no key', 'Write a word, a colon and a value.'),
      ),
    ];
  }

  /** A problem with the value or key at a path, or with its nearest existing parent. */
  problemAt(path: KeyPath, part: 'key' | 'value', problem: string, hint: string): TargetProblem {
    const key = shownPath(path);
    for (let length = path.length; length > 0; length -= 1) {
      const place = this.#places.get(keyPathText(path.slice(0, length)));
      const atKey = part === 'key' || length < path.length;
      const offset = atKey ? (place?.key ?? place?.value) : (place?.value ?? place?.key);
      if (offset !== undefined) return this.#problem(offset, key, problem, hint);
    }
    return { line: 1, column: 1, key, problem, hint, excerpt: undefined };
  }

  #problem(offset: number, key: string, problem: string, hint: string): TargetProblem {
    const { line, col } = this.#counter.linePos(Math.min(offset, this.#length));
    const start = this.#counter.lineStarts[line - 1] ?? 0;
    this.#concealValues();
    const { text, column } = this.#concealment.line(start, col);
    return { line, column, key, problem, hint, excerpt: text };
  }

  #walk(node: unknown, path: KeyPath): void {
    if (isNode(node) && !isAlias(node) && node.anchor !== undefined) {
      this.#aliases.push(node.range?.[0] ?? 0);
    }
    if (isMap(node)) {
      for (const pair of node.items) this.#walkPair(pair, path);
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        const inner = [...path, index];
        this.#remember(inner, undefined, rangeStart(item));
        if (isPair(item)) this.#walkPair(item, inner);
        else this.#walk(item, inner);
      }
    } else if (isAlias(node)) {
      this.#aliases.push(node.range?.[0] ?? 0);
    } else if (isScalar(node)) {
      if (typeof node.value === 'string') node.value = showBraces(node.value);
      this.scalars.push({ path, node });
      this.#values.push({ path, text: String(node.value), range: node.range ?? null });
    }
  }

  #walkPair({ key, value }: Pair, path: KeyPath): void {
    const text = isScalar(key) && typeof key.value === 'string' ? showBraces(key.value) : '';
    if (text === '') {
      this.#oddKeys.push(rangeStart(key) ?? rangeStart(value) ?? 0);
      this.#conceal(key);
      this.#conceal(value);
      return;
    }
    if (isScalar(key)) key.value = text;
    if (shownKey(text) !== text) this.#conceal(key);
    const inner = [...path, text];
    this.#remember(inner, rangeStart(key), rangeStart(value));
    this.#walk(value, inner);
  }

  #remember(path: KeyPath, key: number | undefined, value: number | undefined): void {
    this.#places.set(keyPathText(path), { path, key, value });
  }

  /** Called before the first excerpt: most files have no problem, and `isSecret` needs all schemas. */
  #concealValues(): void {
    for (const { path, text, range } of this.#values.splice(0)) {
      if (/^(?:true|false|-?[\d.]{0,7})$/u.test(text)) continue;
      const inUrl = path[0] === 'baseUrl' && /\/\/[^/]*@/u.test(text);
      const isSecret = (inUrl || this.#isSecret(path)) && !isPlainVariable(text);
      if (isSecret && range) this.#concealment.hide(range[0], range[1]);
    }
  }

  #conceal(node: unknown): void {
    const range = isNode(node) ? node.range : undefined;
    if (range) this.#concealment.hide(range[0], range[1]);
  }

  #yamlProblem(error: YAMLError): TargetProblem {
    const from = error.pos[0];
    if (error.code === 'DUPLICATE_KEY') {
      const twice = [...this.#places.values()].find((place) => place.key === from);
      const key = shownPath(twice?.path ?? []);
      return this.#problem(from, key, 'the key stands twice', 'Keep one of them.');
    }
    if (error.code === 'MULTIPLE_DOCS') {
      const hint = 'Write one target per file, without --- in between.';
      return this.#problem(from, '', 'more than one YAML document', hint);
    }
    // The parser may quote the source, which can contain a secret.
    const said = error.message.replace(/\s+/gu, ' ').replace(/(: .*|\.)$/u, '');
    return this.#problem(
      from,
      '',
      `not YAML: ${said.charAt(0).toLowerCase()}${said.slice(1)}`,
      'Correct it; a value with : # { } [ ] or * in it needs quotes.',
    );
  }
}

function shownPath(path: KeyPath): string {
  return keyPathText(path.map((step) => (typeof step === 'number' ? step : shownKey(step))));
}

function rangeStart(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
