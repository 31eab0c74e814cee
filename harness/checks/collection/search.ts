/** Free-text searches: texts that are worth searching for, and searches that must find nothing. */

import { freeTextLength } from '../../../schemas/compute/list-instances.ts';
import { numberOf, textOf, type WireRecord } from '../compute/records.ts';
import { type Judgement, notObserved } from '../judgement.ts';
import { selectsNone } from './filter.ts';
import type { Part } from './bracket.ts';
import { bareText } from './sort-keys.ts';

/**
 * Whether a text has a word of three characters. A search by words leaves signs out, and often what is shorter, so that
 * it may find nothing for a name that has no more.
 */
export function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(text);
}

/** Whether a text can be searched for whole: not too long, however length counts, and nothing that no URL can carry. */
export function isSearchable(text: string): boolean {
  return Buffer.byteLength(text) <= freeTextLength && !/\p{Surrogate}/u.test(text);
}

/** What searches and their URLs trip over; the last one is any text at all. */
const kinds: readonly RegExp[] = [
  /^\d+$/u,
  /\\/u,
  /"/u,
  /.{100}/su,
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

/** Texts that are taken for their characters alone. */
const MAX_FOR_CHARACTERS = 8;

/** One text of each kind, and others for characters that none of those has. */
export function representative(texts: readonly string[]): readonly string[] {
  const found = new Set(
    kinds.map((kind) => texts.find((text) => kind.test(text))).filter((text) => text !== undefined),
  );
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

/** Valid searches on which services fail that hand them to a database or a pattern as they are, or take them for something else. */
export const awkwardSearches = [
  // The last sign escapes nothing.
  `qzxjvw'";--\\`,
  'qzxjvw([{\\*+?',
  'qzxjvw 学習 %_&#',
  '9041726358',
  'é',
] as const;

const MIN_HIDDEN = 3;
/** Signs of each end that are searched for: three in a row would resemble the name. */
const END = 2;
/** Long enough for something to be hidden within: a search that leaves signs out would find what is whole. */
const LONG_WORD_LENGTH = 6;
const RUNS = /[a-z]+|\d+/giu;

/**
 * Texts that are in nothing that is searched, and that a search which knows wildcards would find: two ends within a name,
 * with a wildcard in the place of what is between. What stands before it and behind it begins no word, so that a search
 * by the beginnings of words finds nothing, also where one of them is enough.
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
  // One stands for each sign; of fewer than three a search may take it for a slip of the pen.
  if (hidden >= MIN_HIDDEN) wildcards.push('_'.repeat(hidden));
  return wildcards.map((wildcard) => `${start}${wildcard}${end}`);
}

/** Two ends within a name that a wildcard could join, and how many signs are hidden between them. */
interface Ends {
  readonly start: string;
  readonly end: string;
  readonly hidden: number;
}

/** Ends of one long word, or of two words or numbers: what follows the first sign of one, and the last of the other. */
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

/**
 * Texts that only a filter which knows wildcards takes for a name: anything at all, and one sign in the place of the
 * first letter or digit after the first character.
 */
export function wildcardsFor(name: string): readonly string[] {
  const at = Array.from(name).findIndex((sign, index) => index > 0 && /[a-z0-9]/iu.test(sign));
  const masked =
    at === -1 ? [] : ['_', '?', '.'].map((sign) => Array.from(name).with(at, sign).join(''));
  return ['%', '*', '.*', ...masked];
}

const searched = ['name', 'region', 'gpu_type'] as const;
const notSearched = ['instance_id', 'status', 'size', 'guest_ready', 'bandwidth'] as const;
/** Members in which one word alone may be apart, with the words that speak of nothing that is searched. */
const saidInWords = [
  ['resources', /^(?:v?cpus?|cores|memory|storage|disk|nvme|ssd)$/u],
  ['termination_reason', /./u],
  ['guest_ready_reason', /./u],
  ['size', /^\d*x?(?:metal|small|medium|large|standard)$/u],
] as const;

/**
 * What records say in members that a search does not look into, and nothing that it looks into resembles: they have
 * no three letters or digits in a row in common, so that no prefix, stem or slip of the pen makes a match either.
 */
export function textsElsewhere(records: readonly WireRecord[]): readonly string[] {
  const texts = searchedTexts(records);
  const valuesOf = (field: string) =>
    records.map((record) => textOf(record, field) ?? String(numberOf(record, field) ?? ''));
  const words = saidInWords.map(([field, kind]) =>
    valuesOf(field).flatMap((text) => wordsOf(text).filter((word) => kind.test(word))),
  );
  return [...notSearched.map((field) => valuesOf(field)), ...words].flatMap((members) => {
    const text = unlike(members, texts);
    return text === undefined ? [] : [text];
  });
}

/** What a search of instances looks into. */
export function searchedTexts(records: readonly WireRecord[]): readonly string[] {
  return records.flatMap((record) => searched.map((field) => textOf(record, field) ?? ''));
}

/** The first text that resembles none of the others, in the same sense; short ones are left out. */
export function unlike(texts: readonly string[], others: readonly string[]): string | undefined {
  const long = texts.filter((one) => one.length > 3);
  return textsApart(others, long, 1)[0];
}

/**
 * The first `most` of other texts that none of the searched ones resembles, as above, each once; of one or two letters none
 * can tell. Nor do they have a word of theirs, however short: a search may take any of its words for enough.
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

/** The words of a text, in lower case: letters and digits in a row. */
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

/** Any text at all, in what databases, shells and regular expressions make of it. */
export const bareWildcards = ['%', '_%', '*', '.*'] as const;

/**
 * What stands for as many signs as the longest text of some records has, and no text of others: a search that knows
 * wildcards finds the former alone. Empty where all longest texts are of one length.
 */
export function fillingSigns(texts: readonly (readonly string[])[]): readonly string[] {
  const lengths = texts.map((all) => Math.max(0, ...all.map((text) => Array.from(text).length)));
  const longest = Math.max(0, ...lengths);
  const fits = longest > 0 && longest <= freeTextLength && lengths.some((one) => one < longest);
  return fits ? ['_', '.', '?'].map((sign) => sign.repeat(longest)) : [];
}

/**
 * Nothing is selected that has none of the signs in what is searched; `searchedIn` gives the texts of a record.
 * A search that leaves signs out may have nothing left to search for, and give all that an `empty` one gives.
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
