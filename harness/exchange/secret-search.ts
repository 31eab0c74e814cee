/**
 * Finds secrets in a text, in every form that a person can undo. The search reads the text unchanged and with its escapes
 * undone, level by level, and ignores letter case. A match may have the same few characters between every two of its own,
 * which also covers UTF-16 and UTF-32 read as bytes. It looks for the secret forwards, backwards, in ROT13, encoded and
 * hashed.
 */

import { createHash } from 'node:crypto';
import { type Unescaped, unescaped } from './unescaped.ts';

/** A secret in a text between two indexes, and its replacement. */
export interface FoundSecret {
  readonly from: number;
  readonly to: number;
  readonly instead: string;
}

/** Forms with the same beginning: their lengths, longest first since a form may contain another, and their replacements. */
interface Alike {
  lengths: readonly number[];
  readonly instead: Map<string, string>;
}

/** The number of nested escape levels that are undone. */
const LEVELS = 4;
/** The largest distance between characters of a secret: up to four others stand between them. */
const WIDEST = 5;
/** Characters by which forms are indexed, so that thousands of secrets cost little more than one. */
const BEGINNING = 4;
/** A shorter form would match by chance. */
const SHORTEST = 6;
/** The most UTF-16 units of any escape. */
const LONGEST_ESCAPE = 16;
const UNITS = 2 ** 16;
const BEGINNINGS = 2 ** 20;

export class SecretSearch {
  readonly #forms = new Map<string, Alike>();
  /** 1 if a form has the beginning with this hash, which excludes nearly every position. */
  readonly #begun = new Uint8Array(BEGINNINGS);
  /** 1 if a form starts with this unit, and with the pair of units with this hash: cheaper tests that run first. */
  readonly #first = new Uint8Array(UNITS);
  readonly #pairs = new Uint8Array(UNITS);
  /** Units that the longest form spans at the widest distance, at least the longest escape. */
  #reach = LONGEST_ESCAPE;

  /** Adds a secret to find, unless it is too short, with its replacement `instead`. */
  add(secret: string, instead: string): void {
    if (secret.length < SHORTEST) return;
    for (const form of new Set(formsOf(secret).map(withoutCase))) {
      const beginning = form.slice(0, BEGINNING);
      const alike: Alike = this.#forms.get(beginning) ?? { lengths: [], instead: new Map() };
      this.#forms.set(beginning, alike);
      this.#reach = Math.max(this.#reach, WIDEST * form.length);
      const units = unitsOf(form);
      this.#begun[beginningAt(units, 0, 1)] = 1;
      this.#first[units[0] ?? 0] = 1;
      this.#pairs[pairAt(units, 0, 1)] = 1;
      alike.instead.set(form, instead);
      if (alike.lengths.includes(form.length)) continue;
      alike.lengths = [...alike.lengths, form.length].toSorted((one, other) => other - one);
    }
  }

  /** Every secret in the text, in order and without overlaps. */
  in(text: string): readonly FoundSecret[] {
    const found: FoundSecret[] = [];
    let at = (index: number): number => index;
    let level = text;
    for (let depth = 0; depth <= LEVELS; depth += 1) {
      const toText = at;
      for (const { from, to, instead } of this.#inPlain(withoutCase(level))) {
        found.push({ from: toText(from), to: toText(to), instead });
      }
      const next: Unescaped | undefined = depth < LEVELS ? unescaped(level) : undefined;
      if (next === undefined) break;
      // The next level needs only the surroundings of undone escapes: this level has searched everything else.
      const start = Math.max(0, next.changed[0] - this.#reach);
      level = next.text.slice(start, next.changed[1] + this.#reach);
      at = (index) => toText(next.at(start + index));
    }
    return found.length < 2 ? found : apart(found);
  }

  #inPlain(text: string): readonly FoundSecret[] {
    const units = unitsOf(text);
    const all: FoundSecret[] = [];
    for (let from = 0; from + BEGINNING <= units.length; from += 1) {
      if (this.#first[units[from] ?? 0] === 0) continue;
      const found = this.#mayBegin(units, from, 1) ? this.#at(text, from, 1) : undefined;
      const one = found ?? this.#spacedAt(text, units, from);
      if (one === undefined) continue;
      all.push(one);
      from = one.to - 1;
    }
    return all;
  }

  #mayBegin(units: Uint16Array, from: number, stride: number): boolean {
    if (this.#pairs[pairAt(units, from, stride)] === 0) return false;
    return this.#begun[beginningAt(units, from, stride)] === 1;
  }

  /** Finds a secret that has the same characters between every two of its own. */
  #spacedAt(text: string, units: Uint16Array, from: number): FoundSecret | undefined {
    const between = units[from + 1];
    for (let stride = 2; stride <= WIDEST; stride += 1) {
      // The cheapest test runs first; it excludes nearly every position.
      if (between !== units[from + 1 + stride] || between !== units[from + 1 + 2 * stride])
        continue;
      if (!this.#mayBegin(units, from, stride)) continue;
      const found = this.#at(text, from, stride);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #at(text: string, from: number, stride: number): FoundSecret | undefined {
    const alike = this.#forms.get(everyOf(text, from, stride, BEGINNING));
    if (alike === undefined) return undefined;
    const between = text.slice(from + 1, from + stride);
    for (const length of alike.lengths) {
      const to = from + (length - 1) * stride + 1;
      if (to > text.length) continue;
      const instead = alike.instead.get(everyOf(text, from, stride, length));
      if (instead === undefined || !isBetween(text, from, to, stride, between)) continue;
      return { from, to, instead };
    }
    return undefined;
  }
}

/** The UTF-16 units of a text as an array, which is faster to read than the text. */
function unitsOf(text: string): Uint16Array {
  const bytes = Buffer.from(text, 'utf16le');
  return bytes.byteOffset % 2 === 0
    ? new Uint16Array(bytes.buffer, bytes.byteOffset, text.length)
    : new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** A hash of the first two units of a stretch. */
function pairAt(units: Uint16Array, from: number, stride: number): number {
  return (Math.imul(units[from] ?? 0, 31) ^ (units[from + stride] ?? 0)) & (UNITS - 1);
}

/** A hash of the beginning of a stretch. */
function beginningAt(units: Uint16Array, from: number, stride: number): number {
  let mixed = units[from] ?? 0;
  for (let step = 1; step < BEGINNING; step += 1) {
    mixed = Math.imul(mixed, 31) ^ (units[from + step * stride] ?? 0);
  }
  return (mixed ^ (mixed >>> 12)) & (BEGINNINGS - 1);
}

/** `count` units of a text that are `stride` apart. */
function everyOf(text: string, from: number, stride: number, count: number): string {
  if (stride === 1) return text.slice(from, from + count);
  let taken = '';
  for (let at = from; taken.length < count && at < text.length; at += stride) taken += text[at];
  return taken;
}

/** True when the characters between the units of a stretch are always `between`. */
function isBetween(
  text: string,
  from: number,
  to: number,
  stride: number,
  between: string,
): boolean {
  if (stride === 1) return true;
  for (let at = from + 1; at < to; at += stride) {
    if (!text.startsWith(between, at)) return false;
  }
  return true;
}

/** Joins overlapping matches: the same stretch may be found at several levels. */
function apart(found: readonly FoundSecret[]): readonly FoundSecret[] {
  const joined: FoundSecret[] = [];
  for (const one of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = joined.at(-1);
    if (last === undefined || one.from >= last.to) joined.push(one);
    else if (one.to > last.to) joined[joined.length - 1] = { ...last, to: one.to };
  }
  return joined;
}

/** The text in lower case, with its length unchanged. */
function withoutCase(text: string): string {
  const small = text.toLowerCase();
  if (small.length === text.length) return small;
  return text.replaceAll(/[A-Z]+/gu, (letters) => letters.toLowerCase());
}

function formsOf(secret: string): readonly string[] {
  const utf8 = Buffer.from(secret);
  const wide = Buffer.from(secret, 'utf16le');
  const sha256 = createHash('sha256').update(utf8).digest();
  const texts = [secret, utf8.toString('latin1'), ...plainer(secret)];
  return [
    ...texts.flatMap((text) => [text, backwards(text), rot13(text), backwards(rot13(text))]),
    new URLSearchParams({ '': secret }).toString().slice(1),
    ...[utf8, Buffer.from(backwards(secret)), wide, Buffer.from(wide).swap16()].flatMap((bytes) => [
      bytes.toString('hex'),
      ...base64Forms(bytes),
    ]),
    sha256.toString('hex'),
    sha256.toString('base64'),
    sha256.toString('base64url'),
  ];
}

/** The forms of a secret in which parts that look like escapes are undone. */
function plainer(secret: string): readonly string[] {
  const text = unescaped(secret)?.text;
  return text === undefined || text.length < SHORTEST ? [] : [text, ...plainer(text)];
}

function backwards(text: string): string {
  return Array.from(text).toReversed().join('');
}

function rot13(text: string): string {
  return text.replaceAll(/[a-z]/giu, (letter) => {
    const base = letter < 'a' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/**
 * Base64 of the secret at each of the three offsets that it can have inside a longer text (`user:secret`, a JSON
 * body), without the digits at both ends that depend on its neighbours.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const first = offset === 0 ? 0 : offset + 1;
    const whole = Math.floor((padded.length * 8) / 6);
    return [padded.toString('base64'), padded.toString('base64url')].map((text) =>
      text.slice(first, whole),
    );
  });
}
