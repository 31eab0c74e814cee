/** Sizes of page that a list of some length fills exactly. */

/** Divisors of `length` by which it takes one to `mostPages` pages of at most 200 items, largest first. */
export function exactSizes(length: number, mostPages: number): readonly number[] {
  return Array.from({ length: mostPages }, (_, index) => index + 1)
    .filter((pages) => length % pages === 0)
    .map((pages) => length / pages)
    .filter((size) => size >= 1 && size <= 200);
}
