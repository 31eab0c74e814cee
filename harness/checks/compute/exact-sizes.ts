/** Sizes of page that a list of some length fills exactly. */

/** Divisors of `length` by which it takes two to `mostPages` pages of at most 199 items, largest first. */
export function exactSizes(length: number, mostPages: number): readonly number[] {
  return Array.from({ length: Math.max(0, mostPages - 1) }, (_, index) => index + 2)
    .filter((pages) => length % pages === 0)
    .map((pages) => length / pages)
    .filter((size) => size >= 1 && size < 200);
}
