/** What a mistyped word was probably meant to be. */

import { closest as nearest, distance } from 'fastest-levenshtein';

/** The known word that is most like the given one; undefined when none is like it. Case, `-` and `_` count little. */
export function closest(given: string, known: readonly string[]): string | undefined {
  const [first] = known;
  if (first === undefined) return undefined;
  const byPlain = new Map(known.toReversed().map((word) => [plain(word), word]));
  const near = nearest(plain(given), [...byPlain.keys()]);
  const tolerated = Math.max(1, Math.floor(near.length / 3));
  return distance(plain(given), near) <= tolerated ? byPlain.get(near) : undefined;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[_-]/gu, '');
}
