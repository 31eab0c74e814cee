/** Lengths of model ids around the bound and far from it. */

import { type Arbitrary, constantFrom, integer, oneof } from 'fast-check';

/** 30 to 2,000 characters, mostly near `bound`. */
export function modelIdLength(bound: number): Arbitrary<number> {
  return oneof(
    { weight: 3, arbitrary: integer({ min: bound - 3, max: bound + 3 }) },
    { weight: 2, arbitrary: integer({ min: 30, max: 2_000 }) },
    { weight: 1, arbitrary: constantFrom(128, 255, 257, 512, 1_024) },
  );
}

/** An id that nobody registers, of exactly this many ASCII characters, 30 at least. */
export function unknownIdOf(length: number): string {
  return 'plumbline-nobody-registers-it-'
    .padEnd(length, 'abcdefghij-KLMNOP_0123.456')
    .slice(0, length);
}
