/** Two walks over the same items in another order: which items changed places. */

/** Two items; `first` stands before `second` in one list and after it in the other. */
export interface Inversion {
  readonly first: string;
  readonly second: string;
}

/**
 * Pairs that changed places between two lists of the same ids, the first of each stretch that was shuffled, and at
 * most `most` of them. Undefined when the lists do not have the same ids, each once: then it is not their order
 * that differs. Empty for lists in the same order.
 */
export function inversions(
  expected: readonly string[],
  actual: readonly string[],
  most: number,
): readonly Inversion[] | undefined {
  const known = new Set(expected);
  const met = new Set(actual);
  if (known.size !== expected.length || met.size !== actual.length) return undefined;
  if (known.size !== met.size || !actual.every((id) => known.has(id))) return undefined;
  const found: Inversion[] = [];
  const ahead = new Set<string>();
  let isWithin = false;
  for (const [index, first] of expected.entries()) {
    const second = actual[index];
    if (second === undefined) break;
    if (!isWithin && first !== second) found.push({ first, second });
    // A stretch ends where both lists have had the same items.
    for (const id of [first, second]) if (!ahead.delete(id)) ahead.add(id);
    isWithin = ahead.size > 0;
  }
  // Stretches from all over the lists: a fault in one place must not hide behind ties in another.
  const step = Math.max(1, found.length / most);
  return found.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}
