/** Orders that do not depend on the machine's language. */

/** Ascending by UTF-16 code unit, for `sort`. */
export function byText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Ascending by the text that `key` gives, for `sort`. */
export function byKey<T>(key: (item: T) => string): (left: T, right: T) => number {
  return (left, right) => byText(key(left), key(right));
}
