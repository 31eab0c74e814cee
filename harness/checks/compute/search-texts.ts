/** Which texts of an account are worth searching for. */

import { type WireRecord, textOf } from './records.ts';

/** What searches and their URLs trip over; the last one is any text at all. */
const kinds: readonly RegExp[] = [
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

/** One record for each kind of text, as far as there is one; no record twice. */
export function telling(records: readonly WireRecord[], field: string): readonly WireRecord[] {
  const found = kinds.map((kind) =>
    records.find((record) => kind.test(textOf(record, field) ?? '')),
  );
  return [...new Set(found.filter((record) => record !== undefined))];
}

/**
 * Texts that are in none of the names, and that a search which knows wildcards would find: the middle of a name
 * replaced by one. No part of them is a word of the name either.
 */
export function absentPatterns(names: readonly string[]): readonly string[] {
  const name = names.find((text) => /^[a-z]{6,}/iu.test(text));
  const word = name === undefined ? undefined : /^[a-z]+/iu.exec(name)?.[0];
  if (word === undefined) return [];
  const [start, end] = [word.slice(0, 2), word.slice(-2)];
  const patterns = ['%', '*', '.*'].map((wildcard) => `${start}${wildcard}${end}`);
  return patterns.filter((pattern) => !names.some((text) => text.includes(pattern)));
}

const searched = ['name', 'region', 'gpu_type'] as const;
const notSearched = ['instance_id', 'status', 'size'] as const;

/**
 * What records say in members that a search does not look into, and nothing that it looks into resembles: they have
 * no three letters or digits in a row in common, so that no prefix, stem or slip of the pen makes a match either.
 */
export function textsElsewhere(records: readonly WireRecord[]): readonly string[] {
  const taken = new Set(
    records.flatMap((record) =>
      searched.flatMap((field) => [...triplesOf(textOf(record, field) ?? '')]),
    ),
  );
  return notSearched.flatMap((field) => {
    const text = records
      .map((record) => textOf(record, field) ?? '')
      .find((one) => one.length > 3 && ![...triplesOf(one)].some((triple) => taken.has(triple)));
    return text === undefined ? [] : [text];
  });
}

function triplesOf(text: string): ReadonlySet<string> {
  const bare = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return new Set(
    Array.from({ length: Math.max(0, bare.length - 2) }, (_, at) => bare.slice(at, at + 3)),
  );
}
