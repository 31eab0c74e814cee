/** Free-text searches: texts that are worth a search, and searches that must find nothing. */

import { freeTextLength } from '../../../schemas/compute/list-instances.ts';
import { numberOf, textOf, type WireRecord } from '../compute/records.ts';
import { type Judgement, notObserved } from '../judgement.ts';
import { selectsNone } from './filter.ts';
import type { Part } from './bracket.ts';
import { bareText } from './sort-keys.ts';

/** Whether a text has a word of three characters: a search by words may ignore shorter words and punctuation. */
export function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(text);
}

/** Whether a text can be searched for whole: short enough by any count, and without surrogates, which URLs cannot carry. */
export function isSearchable(text: string): boolean {
  return Buffer.byteLength(text) <= freeTextLength && !/\p{Surrogate}/u.test(text);
}

/** Kinds of text that cause trouble in searches and their URLs; the last kind is any text. */
const kinds: readonly RegExp[] = [
  /^\d+$/u,
  /\\/u,
  /"/u,
  /[\u{10000}-\u{10FFFF}]/u,
  /'/u,
  /%/u,
  /\+/u,
  /["<>&]/u,
  /_/u,
  /\p{Lu}/u,
  /[^\p{ASCII}]/u,
  /\p{M}/u,
  /^\d/u,
  / /u,
  /./su,
];

/** Texts that are added only for characters that the others lack. */
const MAX_FOR_CHARACTERS = 8;

/** One text of each kind, the longest, and further texts for characters that none of those has. */
export function representative(texts: readonly string[]): readonly string[] {
  const ofKinds = kinds.map((kind) => texts.find((text) => kind.test(text)));
  const [longest] = texts.toSorted((one, other) => other.length - one.length);
  const found = new Set([...ofKinds, longest].filter((text) => text !== undefined));
  const oddOf = (text: string) => text.match(/[^\p{L}\p{N}]|[^\p{ASCII}]/gu) ?? [];
  const met = new Set([...found].flatMap(oddOf));
  const most = found.size + MAX_FOR_CHARACTERS;
  for (const text of texts) {
    const odd = oddOf(text);
    if (found.size >= most || odd.every((character) => met.has(character))) continue;
    found.add(text);
    for (const character of odd) met.add(character);
  }
  return [...found];
}

/** Valid searches that break services which pass them unescaped to a database or a pattern, or misread their type. */
export const awkwardSearches = [
  // The final backslash escapes nothing.
  `qzxjvw'";--\\`,
  'qzxjvw([{\\*+?',
  'qzxjvw 学習 🙂 %_&#',
  '9041726358',
  'é',
] as const;

/** Texts that are nowhere. A service that ends a text at an unescaped sign searches for nothing, and finds everything. */
export const absentTexts: readonly string[] = [
  'ъщжъщж',
  ...["'", '"', ';', '&', '#'].map((sign) => `${sign}qzxjvw`),
];

const MIN_HIDDEN = 3;
/** Characters of each piece: three in a row would resemble the name. */
const END = 2;
/** Long enough to hide something within; a search that ignores punctuation would find a pattern that hides nothing. */
const LONG_WORD_LENGTH = 6;
const RUNS = /[a-z]+|\d+/giu;

/**
 * Texts that occur in nothing that is searched, but that a search with wildcards would find: two pieces of a name, with a
 * wildcard in place of what is between them. Neither piece begins a word, so that a search by prefixes finds nothing
 * either, even if one match is enough for it.
 */
export function absentPatterns(
  names: readonly string[],
  searchable: readonly string[],
): readonly string[] {
  const runs = searchable.flatMap((text) => text.match(RUNS) ?? []);
  const beginnings = new Set(runs.map((run) => run.slice(0, END).toLowerCase()));
  const begins = (text: string): boolean => beginnings.has(text.toLowerCase());
  const found = names
    .flatMap((name) => endsWithin(name))
    .toSorted((one, other) => other.hidden - one.hidden)
    .find(({ start, end }) => !begins(start) && !begins(end));
  if (found === undefined) return [];
  const { start, end, hidden } = found;
  const wildcards = ['%', '*', '.*'];
  // One underscore stands for each character; a fuzzy search may take fewer than three for a typing error.
  if (hidden >= MIN_HIDDEN) wildcards.push('_'.repeat(hidden));
  return wildcards.map((wildcard) => `${start}${wildcard}${end}`);
}

/** The pieces of an absent pattern in the other order. */
export function turnedRound(pattern: string): string {
  return `${pattern.slice(-END)}${pattern.slice(END, -END)}${pattern.slice(0, END)}`;
}

/** A search by parts of words, which is open, finds the pieces of a pattern in both orders; a wildcard in one of them. */
export function onlyInOrder(judgement: Judgement, part: Part, turned: Part): Judgement {
  const inBoth = new Set(turned.ids);
  const byParts = part.ids.length > 0 && part.ids.every((id) => inBoth.has(id));
  return byParts ? notObserved : judgement;
}

/** Two pieces of a name that a wildcard could join, and how many characters are hidden between them. */
interface Ends {
  readonly start: string;
  readonly end: string;
  readonly hidden: number;
}

/** Pieces of one long word, or of two words: those after the first character of one and before the last of the other. */
function endsWithin(name: string): readonly Ends[] {
  const runs = Array.from(name.matchAll(RUNS), ({ 0: run, index }) => ({ run, index })).filter(
    ({ run }) => run.length > END,
  );
  return runs.flatMap((first, at) =>
    runs.slice(at).flatMap((last) => {
      if (first === last && first.run.length < LONG_WORD_LENGTH) return [];
      const from = first.index + 1 + END;
      const to = last.index + last.run.length - END;
      return [
        { start: name.slice(from - END, from), end: name.slice(to, to + END), hidden: to - from },
      ];
    }),
  );
}

/** Texts that only a filter with wildcards takes for the name; some replace a single letter or digit of it. */
export function wildcardsFor(name: string): readonly string[] {
  const at = Array.from(name).findIndex((sign, index) => index > 0 && /[a-z0-9]/iu.test(sign));
  const masked =
    at === -1 ? [] : ['_', '?', '.'].map((sign) => Array.from(name).with(at, sign).join(''));
  return ['%', '*', '.*', ...masked];
}

const searched = ['name', 'region', 'gpu_type'] as const;
const notSearched = ['instance_id', 'status', 'size', 'guest_ready', 'bandwidth'] as const;
/** Members from which single words are taken, each with a pattern of words unrelated to the searched members. */
const saidInWords = [
  ['resources', /^(?:v?cpus?|cores|memory|storage|disk|nvme|ssd)$/u],
  ['termination_reason', /./u],
  ['guest_ready_reason', /./u],
  ['size', /^\d*x?(?:metal|small|medium|large|standard)$/u],
] as const;

/**
 * Texts from members that a search does not cover, and that resemble nothing that it covers. They share no three
 * consecutive letters or digits with it, so that no prefix, stem or fuzzy search matches either.
 */
export function textsElsewhere(records: readonly WireRecord[]): readonly string[] {
  const texts = searchedTexts(records);
  const valuesOf = (field: string) =>
    records.map((record) => textOf(record, field) ?? String(numberOf(record, field) ?? ''));
  const words = saidInWords.map(([field, kind]) =>
    valuesOf(field).flatMap((text) => wordsOf(text).filter((word) => kind.test(word))),
  );
  return unlike([...notSearched.map((field) => valuesOf(field)), ...words], texts);
}

/** The texts that a search of instances covers. */
export function searchedTexts(records: readonly WireRecord[]): readonly string[] {
  return records.flatMap((record) => searched.map((field) => textOf(record, field) ?? ''));
}

/** Of each member the first text that resembles none of the others, as in textsApart; texts of up to three characters are left out. */
export function unlike(
  members: readonly (readonly unknown[])[],
  others: readonly string[],
): readonly string[] {
  return members.flatMap((values) => {
    const texts = values.filter((one) => typeof one === 'string' || typeof one === 'number');
    const long = texts.map(String).filter((one) => one.length > 3);
    return textsApart(others, long, 1);
  });
}

/**
 * The first `most` of the other texts that resemble none of the searched ones, each once. They share no three consecutive
 * letters or digits and no word, since a search may match any single word. Shorter texts are left out.
 */
export function textsApart(
  texts: readonly string[],
  others: readonly string[],
  most: number,
): readonly string[] {
  const taken = new Set(texts.flatMap((text) => [...triplesOf(text)]));
  const words = new Set(texts.flatMap((text) => wordsOf(text)));
  const found = Array.from(new Set(others)).filter((other) => {
    const triples = [...triplesOf(other)];
    return (
      triples.length > 0 &&
      !triples.some((triple) => taken.has(triple)) &&
      !wordsOf(other).some((word) => words.has(word))
    );
  });
  return found.slice(0, most);
}

/** The words of a text in lower case: runs of letters and digits. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKD')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

function triplesOf(text: string): ReadonlySet<string> {
  const bare = bareText(text);
  return new Set(
    Array.from({ length: Math.max(0, bare.length - 2) }, (_, at) => bare.slice(at, at + 3)),
  );
}

/** Wildcards for any text in databases, shells and regular expressions. */
export const bareWildcards = ['%', '_%', '*', '.*'] as const;

/** Single-character wildcards as long as the longest text of some records, if the longest texts differ in length. */
export function fillingSigns(texts: readonly (readonly string[])[]): readonly string[] {
  const lengths = texts.map((all) => Math.max(0, ...all.map((text) => Array.from(text).length)));
  const longest = Math.max(0, ...lengths);
  const fits = longest > 0 && longest <= freeTextLength && lengths.some((one) => one < longest);
  return fits ? ['_', '.', '?'].map((sign) => sign.repeat(longest)) : [];
}

/**
 * A search for `signs` finds no record whose searched texts have none of them; `searchedIn` gives those texts. A search
 * that ignores punctuation may be left with an empty text, and give what an `empty` search gives.
 */
export function signsSelectNone(
  whole: Part,
  part: Part,
  signs: string,
  empty: readonly string[],
  searchedIn: (record: WireRecord) => readonly string[],
): Judgement {
  const found = new Set(part.ids);
  if (empty.length > 0 && empty.every((id) => found.has(id))) return notObserved;
  const hasSome = (record: WireRecord): boolean =>
    searchedIn(record).some((text) => Array.from(signs).some((sign) => text.includes(sign)));
  const records = part.records.filter((record) => !hasSome(record));
  const ids = part.ids.filter((_, index) => !hasSome(part.records[index] ?? {}));
  return selectsNone(whole, { ...part, records, ids }, signs);
}
