/** Text functions that all report formats share: sorting, escaping, quoting and counting. */

import { createHash } from 'node:crypto';

/** Ascending by UTF-16 code unit, for `sort`. */
export function byText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Ascending by the text that `key` returns, for `sort`. */
export function byKey<T>(key: (item: T) => string): (left: T, right: T) => number {
  return (left, right) => byText(key(left), key(right));
}

/** Each text once, sorted. */
export function distinct(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].toSorted(byText);
}

/** SHA-256 in hex. */
export function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Control characters, and marks that hide text or change its direction. Line feed and tab are allowed. */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- controls are what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

/** Replaces invisible and control characters by `\u{…}`. */
export function visibleText(text: string): string {
  return text.replaceAll(
    INVISIBLE,
    (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/** The same on one line, cut to `limit` characters. */
export function visibleLine(text: string, limit = 300): string {
  const line = visibleText(text.replaceAll(/\s+/gu, ' ').trim());
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Escapes text for XML 1.0. Characters that XML cannot contain are shown as `\u{…}`. */
export function xmlText(text: string): string {
  return visibleText(text)
    .replaceAll(
      /[\uFFFE\uFFFF]/gu,
      (sign) => `\\u{${sign.charCodeAt(0).toString(16).toUpperCase()}}`,
    )
    .replaceAll(/[&<>"'\n\t]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/u;

/** Quotes a word for a POSIX shell. */
export function shellWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Without a target `file`, the command judges the embedded reference deployments. `only` names a single case, and
 * `further` are options with their values.
 */
export function replayCommand(
  file: string | undefined,
  requirement: string,
  seed: number,
  only?: string,
  further: readonly string[] = [],
): string {
  const words = ['plumbline', 'run'];
  if (file !== undefined) words.push(shellWord(file));
  words.push('--only', shellWord(requirement), '--seed', String(seed));
  if (only !== undefined) words.push('--case', shellWord(only));
  return [...words, ...further.map(shellWord)].join(' ');
}

/** The first names, and the number of the others: `a, b and 3 more`. */
export function firstOf(names: readonly string[], limit: number): string {
  const rest = names.length - limit;
  return `${names.slice(0, limit).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A number with its noun. The plural adds an s. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A duration as text: `850 ms`, `4.2 s`, `3 min 05 s`, `2 h 07 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** An ISO time as `2026-11-21 12:00:00 UTC`. */
export function utc(time: string): string {
  return time.replace('T', ' ').replace(/(?:\.\d+)?Z$/u, ' UTC');
}

/** Groups items by key, in the order of first occurrence. */
export function grouped<T>(
  items: Iterable<T>,
  key: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes undefined members, since optional members are absent and never undefined. */
export function present<T extends object>(members: T): Present<T>;
export function present(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The sum of `amount` over the items. */
export function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
