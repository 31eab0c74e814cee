/** Searches for signs alone, which a search may take for wildcards (compute#list-instances/free_text_search). */

import { freeTextLength } from '../../../schemas/compute/list-instances.ts';
import { type Judgement, notObserved } from '../judgement.ts';
import type { WireRecord } from './records.ts';
import { type Part, selectsNone } from './selection.ts';

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
  const ids = part.ids.filter((_, place) => !hasSome(part.records[place] ?? {}));
  return selectsNone(whole, { ...part, records, ids }, signs);
}
