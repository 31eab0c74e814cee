/** Searches for signs alone, which a search may take for wildcards (compute#list-instances/free_text_search). */

import type { Judgement } from '../judgement.ts';
import type { WireRecord } from './records.ts';
import { type Part, selectsNone } from './selection.ts';

/** Any text at all, in what databases, shells and regular expressions make of it. */
export const bareWildcards = ['%', '_%', '*', '.*'] as const;

/** Nothing is selected that has none of the signs in what is searched; `searchedIn` gives the texts of a record. */
export function signsSelectNone(
  whole: Part,
  part: Part,
  signs: string,
  searchedIn: (record: WireRecord) => readonly string[],
): Judgement {
  const hasSome = (record: WireRecord): boolean =>
    searchedIn(record).some((text) => Array.from(signs).some((sign) => text.includes(sign)));
  const records = part.records.filter((record) => !hasSome(record));
  const ids = part.ids.filter((_, place) => !hasSome(part.records[place] ?? {}));
  return selectsNone(whole, { ...part, records, ids }, signs);
}
