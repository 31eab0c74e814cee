/** Words and texts that every form of a report shares: how it is ordered, shown safely, quoted and counted. */

import { createHash } from 'node:crypto';

/** Ascending by UTF-16 code unit, for `sort`. */
export function byText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Ascending by the text that `key` gives, for `sort`. */
export function byKey<T>(key: (item: T) => string): (left: T, right: T) => number {
  return (left, right) => byText(key(left), key(right));
}

/** Each text once, in order. */
export function distinct(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].toSorted(byText);
}

/** SHA-256 in hex. */
export function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Controls, and the marks that hide text or change its direction; line feed and tab may stay. */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- controls are what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

/** Replaces what cannot be seen, or would act, by `\u{…}`. */
export function visibleText(text: string): string {
  return text.replaceAll(
    INVISIBLE,
    (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

/** The same in one line, cut to `limit` characters. */
export function visibleLine(text: string, limit = 300): string {
  const line = visibleText(text.replaceAll(/\s+/gu, ' ').trim());
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** What XML 1.0 cannot hold even escaped is shown as `\u{…}`. */
export function xmlText(text: string): string {
  return visibleText(text)
    .replaceAll(
      /[\uFFFE\uFFFF]/gu,
      (sign) => `\\u{${sign.charCodeAt(0).toString(16).toUpperCase()}}`,
    )
    .replaceAll(/[&<>"'\n\t]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/u;

/** A word as a POSIX shell reads it back unchanged. */
export function shellWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `file` is the target file; without one the embedded reference deployments are judged. `only` names the one case to run. */
export function replayCommand(
  file: string | undefined,
  requirement: string,
  seed: number,
  only?: string,
): string {
  const words = ['plumbline', 'run'];
  if (file !== undefined) words.push(shellWord(file));
  words.push('--only', shellWord(requirement), '--seed', String(seed));
  if (only !== undefined) words.push('--case', shellWord(only));
  return words.join(' ');
}

/** The first names, and how many more there are: `a, b and 3 more`. */
export function firstOf(names: readonly string[], limit: number): string {
  const rest = names.length - limit;
  return `${names.slice(0, limit).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A number with its noun; the plural takes an s. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A duration for people: `850 ms`, `4.2 s`, `3 min 05 s`, `2 h 07 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** `2026-11-21 12:00:00 UTC` of an ISO time. */
export function utc(time: string): string {
  return time.replace('T', ' ').replace(/(?:\.\d+)?Z$/u, ' UTC');
}

/** The items with one key together, in the order of their first. */
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

/** The members that are there, for optional ones, which are absent and never undefined. */
export function present<T extends object>(members: T): Present<T>;
export function present(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** What the items come to together. */
export function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
