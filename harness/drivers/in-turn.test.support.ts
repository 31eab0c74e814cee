/** What a deployment gives one after the other. */

/** Gives these values in turn, and then the last one. */
export function inTurn<T>(...values: readonly T[]): () => T {
  let given = 0;
  return () => {
    const value = values[Math.min(given, values.length - 1)];
    if (value === undefined) throw new Error('There is nothing to give.');
    given += 1;
    return value;
  };
}
